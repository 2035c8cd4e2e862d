// Houston as installed from its package, in one process: without a host.
import packed from './houston-packed.mjs';
export default { ...packed, name: 'houston-alone', tui: [...packed.tui, '--no-host'], install: undefined };
