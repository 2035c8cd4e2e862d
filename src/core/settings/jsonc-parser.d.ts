declare module 'jsonc-parser/lib/esm/impl/parser.js' {
  export { findNodeAtLocation, getNodeValue, parseTree } from 'jsonc-parser';
}
