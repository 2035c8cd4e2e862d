import { claimOpener } from '../values/sealed.ts';

/** The one key to sealed values. Only files of this room import it. */
export const opener = claimOpener();
