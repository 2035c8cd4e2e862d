/** How what a hook told the model begins: words of nobody in the conversation. */
export const HOOK_WORDS = '[From the hook ';
