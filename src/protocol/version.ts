/** Number of the wire protocol; both ends must say the same one, or only the frozen part (hello, stop, restart) works. */
export const PROTOCOL_VERSION = 1;
