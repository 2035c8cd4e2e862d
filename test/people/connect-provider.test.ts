// A person connects a provider: what they press, and what they see. Their session, its models and the sign-in service are true.
import { expect, setDefaultTimeout, test } from 'bun:test';
import { drive } from '../support/driver.ts';
import { ACCOUNT, EMAIL } from '../support/fake-oauth.ts';
import { openSignInHouse, PORT, type SignInHouseOptions } from '../support/sign-in-house.ts';

// A busy machine takes its time over what is tried many times.
setDefaultTimeout(60_000);

async function atTheScreen(options: SignInHouseOptions & { columns?: number; rows?: number } = {}) {
  const house = await openSignInHouse(options);
  await house.idle();
  const { view } = house.seat('looker');
  const driver = await drive({
    columns: options.columns ?? 120,
    rows: options.rows ?? 40,
    wrap: () => house.session,
  });
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < 6; turn++) {
      await house.settle();
      await driver.wait(40);
    }
  };
  await settle();
  return {
    house,
    driver,
    settle,
    screen: () => driver.screenText(),
    press: async (...chords: string[]) => {
      for (const chord of chords) {
        await driver.press(chord);
        await settle();
      }
    },
    say: async (line: string) => {
      await driver.type(line);
      await driver.press('enter');
      await settle();
    },
    view,
    /** The address as the session has it: on the screen it is broken into rows. */
    url: (): string => view.signIn?.url ?? 'no sign-in runs',
  };
}

test('/login lists the five ways in order, each with how it stands; Up and Down select, Enter opens (PC-1, PC-2)', async () => {
  const { driver, screen, say, press } = await atTheScreen({ variables: { ANTHROPIC_API_KEY: 'sk-ant-secret-value' } });
  await say('/login');
  const text = screen();
  const rows = ['OpenAI Codex', 'Anthropic', 'Claude Subscription', 'OpenAI  ', 'Custom Provider'].map((label) =>
    text.split('\n').findIndex((line) => line.includes(label)),
  );
  expect(rows.every((row, at) => row > 0 && (at === 0 || row === rows[at - 1]! + 1))).toBe(true);
  expect(text).toMatch(/OpenAI Codex +○ not connected/);
  expect(text).toMatch(/Anthropic +● connected by ANTHROPIC_API_KEY/);
  expect(text).toMatch(/Claude Subscription +○ claude is not installed/);
  expect(text).toMatch(/Custom Provider +○ none yet/);
  expect(text).not.toContain('sk-ant-secret');
  // Three fifths of 120 columns, two fifths of 40 rows.
  const lines = text.split('\n');
  const top = lines.findIndex((line) => line.includes('╭─ Connect Provider'));
  const bottom = lines.findIndex((line) => line.includes('Esc] Close'));
  expect(bottom - top + 1).toBe(16);
  expect(/╭─ Connect Provider[^╮]*╮/.exec(lines[top]!)![0]).toHaveLength(72);
  await press('down');
  expect(driver.find('❯ Anthropic')).not.toBeNull();
  await press('up', 'up', 'down', 'enter');
  expect(screen()).toContain('Connect Provider: Anthropic');
});

test('a terminal too small for the controls is asked to grow, and shows them once it did (PC-3)', async () => {
  const { driver, screen, say, settle } = await atTheScreen({ columns: 60, rows: 12 });
  await say('/login');
  expect(screen()).toContain('Make the terminal larger');
  expect(screen()).not.toContain('Custom Provider');
  await driver.resize(120, 40);
  await settle();
  expect(screen()).toContain('Custom Provider');
});

test('a ChatGPT account signs in with the browser, inside the dialog, and what waited goes on with its model (PC-4, PC-12, PC-16)', async () => {
  const { driver, house, screen, say, press, settle, view } = await atTheScreen({
    settings: '{"model": "openai-codex:gpt-6.2-sol"}',
  });
  expect(view.head.startupProblem?.message).toContain("missing auth for provider 'openai-codex'");
  await say('hello there');
  expect(house.oauth.modelRequests).toHaveLength(0);
  await say('/login');
  await press('enter');
  for (const words of [
    'Open Browser [Alt-O]',
    'Copy URL [Ctrl-Y]',
    'paste where the browser ended',
    'http://oauth.test/oauth/auth',
  ])
    expect(screen()).toContain(words);
  driver.processes.script('xdg-open', { exit: 0 });
  await press('alt-o');
  const opened = driver.processes.spawned.at(-1)!.argv;
  expect(opened[0]).toBe('xdg-open');
  const back = house.oauth.browse(opened[1]!);
  expect(back).toStartWith(`http://localhost:${PORT}/auth/callback?`);
  const page = await house.system.network.visit(back);
  expect(await page!.text()).toContain('You are signed in');
  await settle();
  expect(screen()).toContain(`● OpenAI Codex: signed in as ${EMAIL}`);
  expect(JSON.parse((await house.text(`${house.state}/auth.json`))!)).toMatchObject({
    'openai-codex': { type: 'oauth', account: ACCOUNT, email: EMAIL },
  });
  await press('enter');
  await house.idle();
  await settle();
  expect(screen()).not.toContain('Connect Provider');
  expect(screen()).toContain('from the account');
  expect(house.oauth.modelRequests).toHaveLength(1);
  expect(house.oauth.modelRequests[0]!.get('chatgpt-account-id')).toBe(ACCOUNT);
  // Nobody listens any more.
  expect(await house.system.network.visit(back)).toBeNull();
  await say('/login');
  expect(screen()).toContain(`signed in as ${EMAIL}`);
});

test('Tab goes round the two buttons and the field, Enter does what has the focus; the field shows no sign of what is pasted (PC-5, PC-6)', async () => {
  const { driver, house, screen, say, press, settle, url } = await atTheScreen();
  await say('/login openai-codex');
  expect(driver.find('❯Open Browser')).not.toBeNull();
  await press('tab');
  expect(driver.find('❯Copy URL')).not.toBeNull();
  await press('enter');
  const shown = url();
  expect(driver.terminal.output).toContain(`\x1b]52;c;${btoa(shown)}\x07`);
  await press('tab');
  expect(driver.find('❯ Or paste where')).not.toBeNull();
  await press('tab', 'shift-tab');
  const back = house.oauth.browse(shown);
  await driver.paste(back);
  await settle();
  expect(screen()).toContain('••••••••');
  for (const secret of house.oauth.secrets) {
    expect(screen()).not.toContain(secret);
    expect(driver.terminal.output).not.toContain(secret.slice(5, 25));
  }
  await press('enter');
  expect(screen()).toContain(`signed in as ${EMAIL}`);
  await press('escape');
  expect(screen()).not.toContain('Connect Provider');
});

test('an address that is not of this sign-in is said to be so, and the sign-in goes on (PC-6)', async () => {
  const { driver, house, screen, say, press, settle, url } = await atTheScreen();
  await say('/login openai-codex');
  await press('shift-tab');
  await driver.paste('http://localhost:1455/auth/callback?code=x&state=wrong');
  await press('enter');
  expect(screen()).toContain('That address is of another sign-in');
  await driver.paste(house.oauth.browse(url()));
  await settle();
  await press('enter');
  expect(screen()).toContain(`signed in as ${EMAIL}`);
});

test('Esc gives a sign-in up at every point before it is saved: nothing is kept, and nobody listens (PC-5, PC-13, SC-38.3)', async () => {
  const { house, screen, say, press, settle, url, view } = await atTheScreen();
  await say('/login openai-codex');
  const shown = url();
  const back = house.oauth.browse(shown);
  await press('escape');
  expect(screen()).toMatch(/OpenAI Codex +○ not connected/);
  expect(screen()).not.toMatch(/cancelled|failed/i);
  expect(await house.system.network.visit(back)).toBeNull();
  // While the service is being asked, too.
  await press('enter');
  let go = (): void => {};
  house.oauth.next = {
    wait: new Promise((resolve) => {
      go = resolve;
    }),
  };
  const again = house.system.network.visit(house.oauth.browse(url()));
  await settle();
  expect(screen()).toContain('Checking with the service');
  await press('escape');
  go();
  await again;
  await settle();
  expect(screen()).toMatch(/OpenAI Codex +○ not connected/);
  expect(await house.text(`${house.state}/auth.json`)).toBeNull();
  expect(view.signIn).toBeNull();
});

test('a sign-in that fails says why: Enter tries again, Backspace goes back, Esc closes (PC-12)', async () => {
  const { house, screen, say, press, settle, url } = await atTheScreen();
  const deny = async (): Promise<void> => {
    await house.system.network.visit(house.oauth.browse(url(), 'denies'));
    await settle();
  };
  await say('/login openai-codex');
  await deny();
  expect(screen()).toContain('✗ The sign-in was refused: access denied');
  await press('enter');
  expect(screen()).toContain('Open Browser');
  await deny();
  await press('backspace');
  expect(screen()).toContain('Custom Provider');
  await press('enter');
  await deny();
  await press('escape');
  expect(screen()).not.toContain('Connect Provider');
});

test('with its port taken the sign-in says so and takes the pasted address (PC-16)', async () => {
  const { driver, house, screen, say, press, settle, url } = await atTheScreen();
  await house.system.network.answerLoopback(PORT, () => new Response('somebody else'));
  await say('/login openai-codex');
  expect(screen()).toContain('Port 1455 is in use');
  await driver.paste(house.oauth.browse(url()));
  await settle();
  await press('enter');
  expect(screen()).toContain(`signed in as ${EMAIL}`);
});

test('Anthropic shows what to do in the shell, and has no field to type a key into (PC-7)', async () => {
  const { house, screen, say } = await atTheScreen();
  await say('/login anthropic');
  expect(screen()).toContain('export ANTHROPIC_API_KEY');
  await say('sk-ant-typed-by-mistake');
  expect(screen()).not.toContain('sk-ant');
  expect(await house.text(`${house.state}/auth.json`)).toBeNull();
  expect(await house.text(house.settingsFile)).toBeNull();
});

test('a provider of one’s own is a form: label, address, the name of a variable, a name in the catalogue (PC-8, PC-9, PC-10)', async () => {
  const { house, screen, say, press, driver } = await atTheScreen();
  await say('/login custom');
  for (const label of ['❯ Label', 'Base URL', 'Key variable', 'models.dev provider']) expect(screen()).toContain(label);
  await driver.type('My Box');
  await press('tab');
  expect(screen()).toContain('❯ Base URL');
  await driver.paste('http://127.0.0.1:8080/v1');
  await press('tab');
  // A key is not a name, and is never repeated or written.
  await driver.type('sk-proj-abcdefghijklmnopqrstuvwxyz');
  await press('tab');
  await driver.type('groq');
  await press('enter');
  expect(screen()).toContain('the key itself is never kept');
  expect(screen()).toContain('❯ Key variable');
  expect(await house.text(house.settingsFile)).toBeNull();
  await press('ctrl-u');
  await driver.type('BOX_KEY');
  await press('tab', 'shift-tab', 'enter');
  expect(screen()).toContain('● My Box is connected');
  expect(JSON.parse((await house.text(house.settingsFile))!)).toEqual({
    providers: {
      'my-box': {
        label: 'My Box',
        api: 'openai-chat',
        baseUrl: 'http://127.0.0.1:8080/v1',
        apiKeyEnv: 'BOX_KEY',
        catalogue: 'groq',
      },
    },
  });
  await press('escape');
  await say('/model my-box:any');
  expect(screen()).toContain('BOX_KEY is not set');
});

test('where there is room for one field only, it is the focused one (PC-10)', async () => {
  const { screen, say, press } = await atTheScreen({ columns: 80, rows: 18 });
  await say('/login custom');
  expect(screen()).toContain('❯ Label (1 of 4)');
  expect(screen()).not.toContain('Base URL');
  await press('tab');
  expect(screen()).toContain('❯ Base URL (2 of 4)');
  await press('shift-tab', 'shift-tab');
  expect(screen()).toContain('❯ models.dev provider (4 of 4)');
});

test('an id that is there is replaced only after a yes; Esc goes back to the form as it was typed; a blank override clears the old one (PC-9, PC-11)', async () => {
  const old = { label: 'Old', api: 'openai-chat', baseUrl: 'http://old/v1', catalogue: 'groq', models: ['a'] };
  const settings = `{\n  // mine\n  "providers": ${JSON.stringify({ 'my-box': old })}\n}\n`;
  const { house, screen, say, press, driver } = await atTheScreen({ settings });
  await say('/login custom');
  await driver.type('my box');
  await press('tab');
  await driver.type('http://new/v1');
  await press('enter');
  expect(screen()).toContain('There is a provider my-box already');
  await press('escape');
  expect(screen()).toContain('my box');
  expect(screen()).toContain('http://new/v1');
  expect(await house.text(house.settingsFile)).toBe(settings);
  await press('enter', 'enter');
  expect(screen()).toContain('my box is connected');
  const written = (await house.text(house.settingsFile))!;
  expect(written).toContain('// mine');
  expect(written).toContain('http://new/v1');
  expect(written).not.toContain('groq');
});

test('Esc in the form leaves the settings as they were; once they are being written no key does anything (PC-13, PC-14)', async () => {
  const { house, screen, say, press, driver, settle } = await atTheScreen();
  await say('/login custom');
  await driver.type('Box');
  await press('tab');
  await driver.type('http://new/v1');
  await press('escape', 'escape');
  expect(screen()).not.toContain('Connect Provider');
  expect(await house.text(house.settingsFile)).toBeNull();

  await say('/login custom');
  await driver.type('Box');
  await press('tab');
  await driver.type('http://new/v1');
  let go = (): void => {};
  const wait = new Promise<void>((resolve) => {
    go = resolve;
  });
  const { files } = house.system;
  const write = files.writeAtomic;
  Object.assign(files, {
    writeAtomic: async (...given: Parameters<typeof write>) => {
      await wait;
      return write.apply(files, given);
    },
  });
  await press('enter');
  expect(screen()).toContain('Saving…');
  await press('escape', 'ctrl-c', 'enter', 'q');
  expect(screen()).toContain('Saving…');
  expect(driver.left).toBeNull();
  go();
  await settle();
  expect(screen()).toContain('Box is connected');
  expect(await house.text(house.settingsFile)).toContain('http://new/v1');
});

test('settings that cannot be written are said to be so: Enter tries again, Left goes back with what was typed (PC-12, PC-14)', async () => {
  const { house, screen, say, press, driver } = await atTheScreen({ settings: '{ broken' });
  await say('/login custom');
  await driver.type('Box');
  await press('tab');
  await driver.type('http://new/v1');
  await press('enter');
  expect(screen()).toContain('The settings file could not be written');
  await press('left');
  expect(screen()).toContain('http://new/v1');
  await press('enter');
  house.system.files.seed(house.settingsFile, '{}');
  await press('enter');
  expect(screen()).toContain('Box is connected');
});

test('OpenAI shows the variable and a form that is filled in; saved, its models can be chosen (PC-17)', async () => {
  const { house, screen, say, press, view } = await atTheScreen({ variables: { OPENAI_API_KEY: 'sk-of-the-person' } });
  await say('/login openai');
  for (const words of ['https://api.openai.com/v1', 'OPENAI_API_KEY', '❯ Label']) expect(screen()).toContain(words);
  await press('enter');
  expect(screen()).toContain('OpenAI is connected');
  expect(JSON.parse((await house.text(house.settingsFile))!).providers.openai).toMatchObject({
    api: 'openai-responses',
    apiKeyEnv: 'OPENAI_API_KEY',
    catalogue: 'openai',
  });
  await press('escape');
  await say('/model openai/gpt-6.2-sol');
  await say('/model openai:gpt-6.2-sol');
  await house.idle();
  expect(view.head.model).toEqual({ provider: 'openai', model: 'gpt-6.2-sol' });
});

test('the claude program is asked who is signed in; we keep nothing of it and cannot sign it out (PC-18)', async () => {
  const { house, screen, say, press } = await atTheScreen({ variables: { ANTHROPIC_API_KEY: 'sk-ant-secret-value' } });
  const own = '/home/pat/.local/bin/claude';
  house.system.processes.script(
    ([program]) => program === own || program === '/usr/bin/claude',
    (run) => {
      run.write(JSON.stringify({ loggedIn: true, authMethod: 'claude.ai', email: 'pat@claude.example' }));
      return run.argv.slice(1).join(' ') === 'auth status' && run.environment.ANTHROPIC_API_KEY === undefined ? 0 : 9;
    },
  );
  house.system.files.seed(own, '#!', 0o755);
  await say('/login');
  expect(screen()).toMatch(/Claude Subscription +● signed in as pat@claude\.example/);
  expect(house.system.processes.spawned.at(-1)!.argv[0]).toBe(own);
  house.system.processes.install('claude');
  await press('escape');
  await say('/login claude-subscription');
  expect(house.system.processes.spawned.at(-1)!.argv[0]).toBe('/usr/bin/claude');
  expect(screen()).toContain('claude auth login');
  expect(screen()).toContain('/model claude-subscription:sonnet');
  await press('escape');
  await say('/logout claude-subscription');
  expect(screen()).toContain('claude auth logout');
  expect(await house.text(`${house.state}/auth.json`)).toBeNull();
});

test('/logout forgets the sign-in, /login NAME that nobody knows says which there are (PC-15, SC-38.2)', async () => {
  const { driver, house, screen, say, press, settle, url } = await atTheScreen();
  await say('/login openai-codex');
  await driver.paste(house.oauth.browse(url()));
  await settle();
  await press('enter', 'enter');
  await say('/logout');
  expect(screen()).toContain('Signed out of OpenAI Codex');
  expect(JSON.parse((await house.text(`${house.state}/auth.json`))!)).toEqual({});
  await say('/login nowhere');
  expect(screen()).toContain('No provider nowhere');
  expect(screen()).toMatch(/OpenAI Codex +○ not connected/);
});
