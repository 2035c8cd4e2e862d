/** SHA-256 as lower-case hex. By the runtime's own hasher: loading `node:crypto` takes as long as the rest of a start. */
export function sha256(data: string | Uint8Array): string {
  return new Bun.CryptoHasher('sha256').update(data).digest('hex');
}

/** The same over pieces. */
export function startSha256(): { update(piece: Uint8Array): void; hex(): string } {
  const hasher = new Bun.CryptoHasher('sha256');
  return {
    update: (piece) => void hasher.update(piece),
    hex: () => hasher.digest('hex'),
  };
}
