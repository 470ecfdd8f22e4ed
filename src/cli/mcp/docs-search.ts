/** Search of the documentation: sections count by their words, rare ones most (as in TF-IDF). */

declare global {
  interface ImportMeta {
    glob(
      pattern: string,
      options: { readonly eager: true; readonly query: '?raw'; readonly import: 'default' },
    ): Readonly<Record<string, string>>
  }
}

const SECTIONS_SHOWN = 4
const EXCERPT_LENGTH = 600

const pages = import.meta.glob('../../../docs/*.md', {
  eager: true,
  query: '?raw',
  import: 'default',
})

/** Sections as their lines, the heading first, without `#` in code blocks. */
const sections = Object.entries(pages).flatMap(([path, markdown]) => {
  const pageSections: { readonly page: string; readonly lines: string[] }[] = []
  let isCode = false
  for (const line of markdown.split('\n')) {
    if (line.startsWith('```')) isCode = !isCode
    if (!isCode && /^#+ /.test(line))
      pageSections.push({ page: path.replace(/^.*\/docs\//, 'docs/'), lines: [line] })
    else if (/\w/.test(line) && !/^<!--|^!\[/.test(line)) pageSections.at(-1)?.lines.push(line)
  }
  return pageSections
})

const includes = (text: string, word: string) => text.toLowerCase().includes(word)

/** Returns lines of the best sections, best first. */
export function searchDocs(query: string): string[] {
  const weights = [...new Set(query.toLowerCase().match(/[^\s"'`,;()?!]+/g))].map((word) => {
    const matches = sections.filter(({ lines }) => lines.some((line) => includes(line, word)))
    return { word, weight: Math.log(sections.length / (matches.length + 1)) }
  })
  const weigh = (text: string) =>
    weights.reduce((sum, { word, weight }) => sum + (includes(text, word) ? weight : 0), 0)
  return sections
    .map(({ page, lines }) => {
      const [heading = '', ...rest] = lines
      const lineWeights = rest.map(weigh)
      const best = Math.max(0, ...lineWeights)
      // The CLI reference repeats the words of all pages, so it counts half.
      const pageWeight = page === 'docs/cli.md' ? 0.5 : 1
      const score = (4 * weigh(heading) + 3 * best + weigh(lines.join(' '))) * pageWeight
      return { page, heading, rest: rest.slice(Math.max(0, lineWeights.indexOf(best))), score }
    })
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, SECTIONS_SHOWN)
    .flatMap(({ page, heading, rest }) => {
      const excerpt: string[] = []
      for (const line of rest) {
        if (excerpt.join('').length > EXCERPT_LENGTH) break
        excerpt.push(`  ${line.replaceAll(/ {2,}/g, ' ').slice(0, EXCERPT_LENGTH)}`)
      }
      return [`${page} ${heading}`, ...excerpt]
    })
}
