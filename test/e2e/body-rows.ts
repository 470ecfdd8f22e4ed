/** Reads a whole body from the window as a user would, scrolling through its rows. */
import type { Page } from '@playwright/test'

/** The text of every row, in order. A row that continues the previous one is joined to it. */
export async function drawnRows(page: Page): Promise<string[]> {
  const rows = await page.evaluate(async () => {
    const scroller = document.querySelector<HTMLElement>('[role="group"][aria-label="Body"]')
    if (scroller === null) return []
    const seen = new Map<number, { text: string; continues: boolean }>()
    const nextFrame = () =>
      new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
    for (scroller.scrollTop = 0; ; scroller.scrollTop += scroller.clientHeight / 2) {
      await nextFrame()
      for (const row of scroller.querySelectorAll<HTMLElement>('[data-row]')) {
        const [margin, content] = row.children
        seen.set(Number(row.dataset['row']), {
          text: content?.textContent ?? '',
          continues: margin?.textContent === '↪',
        })
      }
      if (scroller.scrollTop + scroller.clientHeight >= scroller.scrollHeight - 1) break
    }
    scroller.scrollTop = 0
    return [...seen].toSorted(([a], [b]) => a - b).map(([, row]) => row)
  })
  const lines: string[] = []
  let indent = 0
  for (const { text, continues } of rows) {
    if (continues) lines[lines.length - 1] = (lines.at(-1) ?? '') + text.slice(indent)
    else {
      indent = text.length - text.trimStart().length
      lines.push(text)
    }
  }
  return lines
}

/** Scrolls through the whole detail pane so that every row renders. */
export async function scrollThrough(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const nextFrame = () =>
      new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
    // By then the worker has the text, or there is nothing to show.
    for (let frame = 0; frame < 5; frame++) await nextFrame()
    for (const scroller of document.querySelectorAll<HTMLElement>(
      '[aria-label="Delivery"] :is([role="tree"], [role="group"])',
    ))
      for (let top = 0; top < scroller.scrollHeight; top += Math.max(200, scroller.clientHeight)) {
        scroller.scrollTop = top
        await nextFrame()
      }
  })
}

/** A JSON text without the whitespace between its tokens. */
export function strip(text: string): string {
  return text.replace(
    /("(?:[^"\\]|\\[^])*"?)|[ \t\r\n]+/g,
    (_, string: string | undefined) => string ?? '',
  )
}
