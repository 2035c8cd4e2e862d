// Adds up junit reports: names each skipped and failed test, ends with "N passed, N failed, N skipped".
// Fails when a report is missing or empty, since a run that tested nothing proves nothing.
import { readFileSync } from 'node:fs';

const totals = { passed: 0, failed: 0, skipped: 0 };
let broken = false;
for (const file of process.argv.slice(2)) {
  let xml = '';
  try {
    xml = readFileSync(file, 'utf8');
  } catch {
    console.log(`${file}: no report was written`);
    broken = true;
    continue;
  }
  let cases = 0;
  for (const match of xml.matchAll(/<testcase\b([^>]*?)(?:\/>|>([\s\S]*?)<\/testcase>)/g)) {
    cases++;
    const name = /\bname="([^"]*)"/.exec(match[1] ?? '')?.[1] ?? '?';
    const where = /\bfile="([^"]*)"/.exec(match[1] ?? '')?.[1] ?? file;
    const body = match[2] ?? '';
    if (/<skipped\b/.test(body)) {
      totals.skipped++;
      console.log(`skipped: ${name} (${where})`);
    } else if (/<(failure|error)\b/.test(body)) {
      totals.failed++;
      console.log(`failed: ${name} (${where})`);
    } else {
      totals.passed++;
    }
  }
  if (cases === 0) {
    console.log(`${file}: no test ran`);
    broken = true;
  }
}
console.log(`${totals.passed} passed, ${totals.failed} failed, ${totals.skipped} skipped`);
process.exit(broken || totals.failed > 0 || (process.env.CI && totals.skipped > 0) ? 1 : 0);
