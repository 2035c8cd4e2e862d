/**
 * Environment variables that hold our own way into model services: removed from every child's environment (CRED-5) and
 * struck from whatever is written or sent. Names of custom providers are added by whoever reads the settings.
 */
export const OWN_CREDENTIALS: readonly string[] = [
  'ANTHROPIC_API_KEY',
  'ANTHROPIC_AUTH_TOKEN',
  'OPENAI_API_KEY',
  'GEMINI_API_KEY',
  'GOOGLE_API_KEY',
  'OPENROUTER_API_KEY',
  'OLLAMA_API_KEY',
];
