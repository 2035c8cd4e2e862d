/** What the delegates of one call are doing, as lines under its card (VIEW-5). */
export interface DelegateActivity {
  act(name: string, action: string): void;
  end(name: string, how: string): void;
}

const SHOWN = 3;

/** `show` is given the whole of it each time anything changed. */
export function createDelegateActivity(names: readonly string[], show: (text: string) => void): DelegateActivity {
  const all = new Map(names.map((name) => [name, { count: 0, last: [] as readonly string[], ended: '' }]));

  const draw = (): void => {
    const lines: string[] = [];
    for (const [name, { count, last, ended }] of all) {
      const earlier = ended === '' ? count - last.length : count;
      const more =
        earlier > 0 ? `${earlier} ${ended === '' ? 'earlier ' : ''}${earlier === 1 ? 'action' : 'actions'}` : '';
      const state = [ended, more].filter((part) => part !== '').join(', ');
      lines.push(`${name}${state === '' ? '' : `: ${state}`}`);
      if (ended === '') lines.push(...last.map((action) => `  ${action}`));
    }
    show(lines.join('\n'));
  };

  return {
    act: (name, action) => {
      const one = all.get(name);
      if (one === undefined) return;
      all.set(name, { ...one, count: one.count + 1, last: [...one.last, action].slice(-SHOWN) });
      draw();
    },
    end: (name, how) => {
      const one = all.get(name);
      if (one === undefined) return;
      all.set(name, { ...one, ended: how });
      draw();
    },
  };
}
