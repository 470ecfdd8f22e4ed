/** Texts that languages print for an unset variable, with their rank. */
export const unsetTexts: readonly (readonly [text: string, rank: number])[] = [
  ['undefined', 2],
  ['null', 2],
  ['None', 2],
  ['nil', 3],
  ['<nil>', 3],
  ['NaN', 3],
  ['NULL', 4],
  ['Null', 4],
  ['False', 4],
  ['false', 4],
  ['0', 4],
  ['[object Object]', 4],
]
