// What of the screen a first frame and a first key need, and what comes later (parts.ts).

/** So much code is read before a first frame, and no more. */
export const FIRST_BYTES = 320_000;

export const AT_ONCE: readonly string[] = [
  'src/front/tui/app.ts',
  'src/front/tui/rehearsal.ts',
  'src/cli/choose-session.ts',
  'src/front/tui/modals/ask-state.ts',
];

/** Opened, moved, sent, read or drawn by what is done later than a first key. */
export const LATER: readonly string[] = [
  'src/base/code-block.ts',
  'src/base/fuzzy.ts',
  'src/base/highlight.ts',
  'src/base/markdown',
  'src/base/sha256.ts',
  'src/base/terminal-screen.ts',
  'src/cli/attach-files.ts',
  'src/core/journal/',
  'src/front/commands/slash.ts',
  'src/front/tui/blocks/',
  'src/front/tui/clipboard.ts',
  'src/front/tui/dropped.ts',
  'src/front/tui/editor/motions.ts',
  'src/front/tui/editor/prompt-history.ts',
  'src/front/tui/editor/vi',
  'src/front/tui/effects.ts',
  'src/front/tui/external-editor.ts',
  'src/front/tui/go-to-call.ts',
  'src/front/tui/host-effects.ts',
  'src/front/tui/input/paste-reader.ts',
  'src/front/tui/modals/',
  'src/front/tui/open-',
  'src/front/tui/panels/',
  'src/front/tui/pasting.ts',
  'src/front/tui/read-thread.ts',
  'src/front/tui/regions/completion-rows.ts',
  'src/front/tui/regions/destination.ts',
  'src/front/tui/regions/selection.ts',
  'src/front/tui/regions/transcript-scroll.ts',
  'src/front/tui/run-command.ts',
  'src/front/tui/select-by-keys.ts',
  'src/front/tui/send',
  'src/front/tui/stopping.ts',
  'src/front/tui/update-answers.ts',
  'src/front/tui/update-jobs.ts',
  'src/front/tui/update-list.ts',
  'src/front/tui/update-modal.ts',
  'src/front/tui/update-mouse.ts',
  'src/front/tui/update-view.ts',
  'src/link/guard-session.ts',
  'src/protocol/fold.ts',
  'src/protocol/reduce-delegates.ts',
  'src/system/bun/suspend.ts',
];

/** The way to a host: asked for right after the first keys, and soon there. */
export const APART: Readonly<Record<string, readonly string[]>> = {
  link: [
    'src/cli/host-link.ts',
    'src/system/bun/children.ts',
    'src/system/bun/process-table.ts',
    'src/front/tui/editor/draft.ts',
    'src/link/host-files.ts',
    'src/link/turn-news.ts',
    'src/core/journal/project.ts',
    'src/core/journal/prompt-history.ts',
  ],
};
