/** Texts that languages print for an unset variable. */
export const unsetTexts: readonly { readonly text: string; readonly rank: number }[] = [
  ...['undefined', 'null', 'None'].map((text) => ({ text, rank: 2 })),
  ...['nil', '<nil>', 'NaN'].map((text) => ({ text, rank: 3 })),
  ...['NULL', 'Null', 'False', 'false', '0', '[object Object]'].map((text) => ({ text, rank: 4 })),
]
