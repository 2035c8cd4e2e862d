/** Plain JSON: the only thing that crosses the door, the wire and the journal. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
export type JsonObject = { readonly [key: string]: Json };
