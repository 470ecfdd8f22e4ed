import { expect, test } from 'vitest'
import { placesOfPhrases, searchedPhrases } from './searched-phrases.ts'

test.each([
  ['coffee', 'Two COFFEES, one coffee', ['COFFEES', 'coffee']],
  ['"coffee"', 'Two coffees, one coffee', ['coffee']],
  ['cafe', 'a Café', ['Café']],
  ['long-winding', 'The Long & Winding Road', ['Long & Winding']],
  ['body:coffee event:coffee', 'coffee', ['coffee']],
  ['coffee -tea OR milk', 'tea, milk and coffee', ['coffee', 'milk']],
  ['card.lastNumbers:4001', '4001', []],
  ['ffee', 'coffee', []],
  ['', 'coffee', []],
])('%s is found in %j', (query, text, matches) => {
  const places = placesOfPhrases(text, searchedPhrases(query))
  expect(places.map(({ start, end }) => text.slice(start, end))).toEqual(matches)
})
