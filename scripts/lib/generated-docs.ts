/**
 * Generated parts of the docs are below this mark, or between `<!-- name -->` and
 * `<!-- /name -->`.
 */
export const GENERATED_MARK =
  '<!-- Everything below is generated: npx vitest run test/golden -u -->'

/** Returns the text of a page that somebody wrote, without its generated parts. */
export function writtenPart(page: string): string {
  const [above = ''] = page.split(GENERATED_MARK)
  return above.replaceAll(/<!-- ([a-z-]+) -->[^]*?<!-- \/\1 -->/gu, '')
}
