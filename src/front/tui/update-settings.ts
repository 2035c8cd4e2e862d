import type { Target } from './frame/painter.ts';
import type { InputEvent } from './input/event.ts';
import type { SettingsMeant, SettingsModal } from './modals/settings.ts';
import type { Screen } from './screen.ts';
import type { ScreenEvent } from './screen-event.ts';
import { sendCommand } from './send-command.ts';
import { type Step, stay, step } from './step.ts';

export function openSettings(screen: Screen): Step {
  if (top(screen) !== null) return stay(screen);
  const modal: SettingsModal = { kind: 'settings', open: null };
  const opened: Screen = { ...screen, modals: [...screen.modals, modal], completion: null, keyList: false };
  return step(opened, { kind: 'open-settings' });
}

export function settingsModalKey(screen: Screen, event: Extract<InputEvent, { type: 'key' }>): Step {
  const open = top(screen)?.open ?? null;
  if (open !== null) return meant(screen, open.part.key(open.state, event));
  // Its part is on the way.
  return event.key.name === 'escape' ? stay(closed(screen)) : stay(screen);
}

export function settingsModalPaste(screen: Screen, text: string): Step {
  const open = top(screen)?.open ?? null;
  return open === null ? stay(screen) : meant(screen, { state: open.part.paste(open.state, text) });
}

export function settingsModalWheel(screen: Screen, rows: number): Step {
  const open = top(screen)?.open ?? null;
  return open === null ? stay(screen) : meant(screen, { state: open.part.wheel(open.state, rows) });
}

export function settingsModalClick(screen: Screen, target: Target): Step {
  const open = top(screen)?.open ?? null;
  return open === null ? stay(screen) : meant(screen, open.part.click(open.state, target));
}

/** Whatever was asked for by the dialog, or opened it, is here. */
export function settingsNews(screen: Screen, event: Extract<ScreenEvent, { type: 'settings' }>): Step {
  const at = screen.modals.findLastIndex(({ kind }) => kind === 'settings');
  const modal = screen.modals[at];
  const { news } = event;
  if (modal?.kind !== 'settings') return news.kind === 'saved' ? readAgain(screen, news.problem) : stay(screen);
  const put = (open: SettingsModal['open']): Screen => ({
    ...screen,
    modals: screen.modals.with(at, { kind: 'settings', open }),
  });
  if (news.kind === 'opened') {
    const shown = put({ part: news.part, state: news.part.opened(news.facts) });
    return step(shown, { kind: 'read-settings-models', refresh: false });
  }
  if (modal.open === null) return stay(screen);
  const { part, state } = modal.open;
  switch (news.kind) {
    case 'models':
      return stay(put({ part, state: part.modelsArrived(state, news) }));
    case 'saved':
      return readAgain(put({ part, state: part.saved(state, news.problem, news.facts) }), news.problem);
  }
}

/** What is written holds as after `/reload`; a turn that runs keeps what it began with (SE-3). */
function readAgain(screen: Screen, problem: string | null): Step {
  if (problem !== null) return stay(screen);
  const sent = sendCommand(screen, 'reload', '');
  return step(sent.screen, { kind: 'read-look' }, ...sent.effects);
}

function meant(screen: Screen, { state, does }: SettingsMeant): Step {
  const modal = top(screen);
  if (modal?.open == null) return stay(screen);
  if (state === null) return stay(closed(screen));
  const next: Screen = {
    ...screen,
    modals: [...screen.modals.slice(0, -1), { kind: 'settings', open: { part: modal.open.part, state } }],
  };
  if (does?.kind === 'save') return step(next, { kind: 'save-settings', edits: does.edits });
  return does?.kind === 'refresh' ? step(next, { kind: 'read-settings-models', refresh: true }) : stay(next);
}

function top(screen: Screen): SettingsModal | null {
  const modal = screen.modals.at(-1);
  return modal?.kind === 'settings' ? modal : null;
}

function closed(screen: Screen): Screen {
  return { ...screen, modals: screen.modals.slice(0, -1) };
}
