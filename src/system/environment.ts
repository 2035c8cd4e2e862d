export interface Environment {
  get(name: string): string | undefined;
  all(): Readonly<Record<string, string>>;
  readonly home: string | null;
  readonly folder: string;
  readonly platform: 'linux' | 'darwin' | 'other';
  readonly userId: number;
  readonly temp: string;
}

export interface Ids {
  /** A new RFC 9562 version 7 UUID: sorts by time. */
  uuid(): string;
  /** `bytes` random bytes as lower-case hex. */
  hex(bytes: number): string;
}
