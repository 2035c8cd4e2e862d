/** Model-facing texts lie beside their tools and are imported as text. */
declare module '*.md' {
  const text: string;
  export default text;
}
