/** Pictures made smaller, or put into another format. */
export interface Images {
  /**
   * The picture within `side` pixels a side and `bytes`, as PNG or JPEG, with its proportions kept. Null when it cannot
   * be read or cannot be made that small.
   */
  fit(
    picture: Uint8Array,
    within: { readonly side: number; readonly bytes: number },
  ): Promise<{ readonly mediaType: 'image/png' | 'image/jpeg'; readonly bytes: Uint8Array } | null>;
}
