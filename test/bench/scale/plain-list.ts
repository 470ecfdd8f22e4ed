/**
 * The baseline for the window: a bare page with the same number and size of rows and cells, moved by plain code. It has no
 * framework, store or core and knows every row in advance, so it measures only the time that Chromium needs to scroll, format,
 * paint and display text without a graphics card.
 */
import type { Page } from '@playwright/test'

const PAGE = `<!doctype html>
<style>
  body { margin: 0; background: #0f1115; color: #e6e8ec; font: 12px/27px monospace; }
  #list { height: 784px; width: 1372px; margin: 80px 0 0 68px; overflow-y: scroll; overflow-anchor: none; }
  #rows { position: sticky; top: 0; height: 784px; margin-bottom: -784px; overflow: clip; contain: strict; }
  #rows div { position: absolute; inset-inline: 0; height: 28px; contain: strict; white-space: nowrap; border-bottom: 1px solid #222; box-sizing: border-box; }
  #rows span { position: absolute; }
  #bar { height: 8000000px; }
</style>
<div id="list" role="grid"><div id="rows"></div><div id="bar"></div></div>
<script>
  const list = document.getElementById('list'), rows = document.getElementById('rows')
  const lefts = [16, 144, 248, 560, 900, 1100, 1200, 1280]
  const elements = Array.from({ length: 30 }, (_, place) => {
    const row = rows.appendChild(document.createElement('div'))
    row.style.top = place * 28 + 'px'
    return lefts.map((left) => {
      const cell = row.appendChild(document.createElement('span'))
      cell.style.left = left + 'px'
      return cell.appendChild(document.createTextNode(''))
    })
  })
  let shown = -1
  const draw = () => {
    const first = Math.floor(list.scrollTop * 3.5 / 28)
    if (first === shown) return
    shown = first
    elements.forEach((cells, place) => {
      const index = first + place
      const of = (salt, size) => String((index * 7919 + salt * 104729) % 10 ** size).padStart(size, '0')
      const texts = ['Valid', of(1, 9), 'transaction.' + of(2, 3), '/h/transaction-' + of(3, 4), '', '200', of(4, 2), of(5, 1) + ' kB']
      cells.forEach((cell, column) => { if (cell.data !== texts[column]) cell.data = texts[column] })
    })
  }
  list.addEventListener('scroll', draw)
  draw()
</script>`

/** Opens the page; returns its list. */
export async function openPlainList(page: Page) {
  await page.setContent(PAGE)
  return page.locator('#list')
}
