/** Joiners and variation selectors that are part of how an emoji or a word is written. */

const emoji = String.raw`\p{Extended_Pictographic}`
const letters = ['Arabic', 'Syriac', 'Mongolian', 'Bengali', 'Gujarati', 'Tamil', 'Telugu']
  .concat('Devanagari', 'Guru', 'Oriya', 'Kannada', 'Malayalam', 'Khmer', 'Myanmar')
  .map((script) => String.raw`\p{scx=${script}}`)
  .join('')
  // One more script, by the range of its letters.
  .concat(String.raw`\u0d80-\u0dff`)
/** Signs without a vowel, which a joiner follows at the end of a word, too. */
const vowelless = String.raw`\u094d\u09cd\u0a4d\u0acd\u0b4d\u0bcd\u0c4d\u0ccd\u0d4d\u0dca`

/** Source of a pattern, with the flag `u`, of one such character; all others hide something. */
export const writtenJoiner = [
  String.raw`(?<=${emoji}[\ufe0f\p{Emoji_Modifier}]?)\u200d(?=${emoji})`,
  String.raw`(?<=${emoji})[\ufe0e\ufe0f]`,
  String.raw`(?<=[0-9#*])\ufe0f(?=\u20e3)`,
  String.raw`(?<=[${letters}])[\u200c\u200d](?=[${letters}])`,
  String.raw`(?<=[${vowelless}])\u200d`,
].join('|')
