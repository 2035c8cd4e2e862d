/** What the browser shows in the end. `words` are ours; nothing of the request is repeated. */
export function callbackPage(status: number, words: string): Response {
  const page = `<!doctype html><meta charset="utf-8"><title>Houston</title>
<body style="font: 1.1rem system-ui; margin: 4rem auto; max-width: 32rem">
<h1>${words.replace(/[<>&"]/g, ' ')}</h1><p>You can close this window and go back to the terminal.</p>
`;
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
    connection: 'close',
  };
  return new Response(page, { status, headers });
}
