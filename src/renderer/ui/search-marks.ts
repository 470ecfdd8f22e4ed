/** Marks what a text search found, in values that are already drawn. */
import { useCallback } from 'react'
import { placesOfPhrases } from '../../shared/query/searched-phrases.ts'
import type { SearchPhrase } from '../../shared/query/search-words.ts'

/** Name of the highlight in the style sheet. */
const HIGHLIGHT = 'search-match'
/** Characters of a text that are searched; few values are longer. */
const MOST_CHARACTERS = 50_000
/** Elements with received values, and those inside them with our own words. */
const VALUES = '.data, .cm-line, dd'
const OWN_WORDS = '.font-sans'

function isValue(node: Node): boolean {
  const element = node.parentElement?.closest(`${VALUES}, ${OWN_WORDS}`)
  return element !== null && element !== undefined && !element.matches(OWN_WORDS)
}

function rangesIn(root: HTMLElement, phrases: readonly SearchPhrase[]): Range[] {
  const ranges: Range[] = []
  const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT)
  for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) {
    if (!isValue(node)) continue
    const text = (node.nodeValue ?? '').slice(0, MOST_CHARACTERS)
    for (const { start, end } of placesOfPhrases(text, phrases)) {
      const range = new Range()
      range.setStart(node, start)
      range.setEnd(node, end)
      ranges.push(range)
    }
  }
  return ranges
}

/**
 * Returns a ref of the element whose values are marked, also those drawn later.
 * @param scrolledFor Delivery whose first match is scrolled into view once; null for none.
 */
export function useSearchMarks(phrases: readonly SearchPhrase[], scrolledFor: string | null) {
  return useCallback(
    (root: HTMLElement | null) => {
      if (root === null || phrases.length === 0 || !('highlights' in CSS)) return
      let frame = 0
      let hasScrolled = scrolledFor === null
      const mark = () => {
        const ranges = rangesIn(root, phrases)
        CSS.highlights.set(HIGHLIGHT, new Highlight(...ranges))
        if (hasScrolled || ranges[0] === undefined) return
        hasScrolled = true
        ranges[0].startContainer.parentElement?.scrollIntoView({ block: 'nearest' })
      }
      const observer = new MutationObserver(() => {
        cancelAnimationFrame(frame)
        frame = requestAnimationFrame(mark)
      })
      observer.observe(root, { childList: true, characterData: true, subtree: true })
      mark()
      return () => {
        observer.disconnect()
        cancelAnimationFrame(frame)
        CSS.highlights.delete(HIGHLIGHT)
      }
    },
    [phrases, scrolledFor],
  )
}
