/** Checks the spelling: American English, with the project's own terms in `vocabulary.txt`. */
import { readFileSync } from 'node:fs'
import english from 'dictionary-en'
import nspell from 'nspell'

export interface Spelling {
  readonly misspelled: (text: string) => readonly string[]
}

const NOT_ENGLISH =
  /`[^`]*`|\{[^{}]*\}|\bhttps?:\S+|\S*[/@_=<>#&\\]\S*|(?<!\w)--?[a-z][a-z-]*|\w+\.\w[\w.]*|(?<!\w)[a-z]+:(?=\w|$)|“[^”\s]*”|"[^"\s]*"/g

export function createSpelling(): Spelling {
  const dictionary = nspell({ aff: Buffer.from(english.aff), dic: Buffer.from(english.dic) })
  const own = readFileSync(new URL('vocabulary.txt', import.meta.url), 'utf8')
  for (const line of own.split('\n')) {
    const word = line.replace(/#.*/, '').trim()
    if (word !== '') dictionary.add(word)
  }
  const cache = new Map<string, boolean>()

  function isKnown(word: string): boolean {
    let isCorrect = cache.get(word)
    if (isCorrect === undefined) {
      isCorrect = dictionary.correct(word)
      cache.set(word, isCorrect)
    }
    return isCorrect
  }

  return {
    misspelled(text) {
      const words = text.replaceAll(NOT_ENGLISH, ' ').matchAll(/\p{L}[\p{L}\p{N}'’]*/gu)
      const misspelledWords = new Set<string>()
      for (const [word] of words) {
        const plain = word.replaceAll('’', "'").replace(/'s?$/, '')
        // Identifiers (`camelCase`), abbreviations and units.
        if (plain.length < 3 || /\p{Lu}|\p{N}/u.test(plain.slice(1))) continue
        if (!isKnown(plain)) misspelledWords.add(word)
      }
      return [...misspelledWords]
    },
  }
}
