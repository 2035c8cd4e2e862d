import type { Sent } from '../../protocol/intent.ts';
import type { ClientId } from '../../protocol/session.ts';
import type { SessionParts } from './parts.ts';
import { accepted, refused } from './sent.ts';

const LONGEST = 80;

/** `/rename NAME`, `-` to go back to the title, bare to be told: a name is one short line (SC-21.1, SC-21.4). */
export async function rename(parts: SessionParts, argument: string, client: ClientId): Promise<Sent> {
  const { journal, recorder, publisher } = parts;
  const tell = (text: string): void => publisher.publish({ type: 'flash', client, level: 'info', text });
  if (argument === '') {
    const { title } = publisher.view.head;
    tell(title === '' ? 'This session has no name yet: /rename name' : `This session is called “${title}”.`);
    return accepted();
  }
  if (journal.folder === null) return refused('not-saved', 'This session is not saved: a name would be lost.');
  if (argument === '-') {
    const given = await titleBefore(parts);
    await recorder.write([{ kind: 'name', ...given }]);
    tell(given.name === '' ? 'The name is taken away.' : `The name is taken away; the title is “${given.name}”.`);
    return accepted();
  }
  const name = [
    ...argument
      .replace(/\p{Cc}+/gu, ' ')
      .replace(/\s+/g, ' ')
      .trim(),
  ]
    .slice(0, LONGEST)
    .join('');
  if (name === '') return refused('argument-missing', 'What should it be called? /rename name');
  await recorder.write([{ kind: 'name', name, by: 'person' }]);
  tell(`Called “${name}”. /rename - takes the name away, /rename name gives another.`);
  return accepted();
}

/** The title the session had without a name: the model's, else the one made of the first prompt. */
async function titleBefore({
  journal,
}: Pick<SessionParts, 'journal'>): Promise<{ readonly name: string; readonly by: 'model' | 'prompt' }> {
  const names = (await journal.load(journal.ofKind('name'))).flatMap((entry) => (entry.kind === 'name' ? [entry] : []));
  const title =
    names.findLast(({ by }) => by === 'model') ?? names.findLast(({ by, name }) => by === 'prompt' && name !== '');
  return { name: title?.name ?? '', by: title?.by === 'model' ? 'model' : 'prompt' };
}
