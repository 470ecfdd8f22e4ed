import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const themes = readFileSync(new URL('themes.css', import.meta.url), 'utf8')
  .split("[data-theme='light']")
  .map(
    (css) =>
      new Map([...css.matchAll(/--([\w-]+): (#\w{6})/g)].map(([, name, hex]) => [name!, hex!])),
  )

/** Returns the relative brightness as WCAG defines it. */
function brightness(hex: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(hex.slice(at, at + 2), 16) / 255
    return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/** Returns the lowest contrast of a color with any of the others. */
function lowest(theme: ReadonlyMap<string, string>, name: string, others: readonly string[]) {
  const [one, ...rest] = [name, ...others].map((each) => brightness(theme.get(each)!) + 0.05)
  return Math.min(...rest.map((other) => Math.max(one! / other, other / one!)))
}

const surfaces = ['ground', 'surface', 'raised', 'control']

test.each(themes)('borders of controls reach 3:1 and text 4.5:1 on every surface', (theme) => {
  expect(lowest(theme, 'edge', surfaces)).toBeGreaterThanOrEqual(3)
  for (const text of ['text', 'text-muted', 'text-subtle'])
    expect(lowest(theme, text, surfaces)).toBeGreaterThanOrEqual(4.5)
})

test('in the light theme, a hovered control differs by 1.1', () => {
  const [, light] = themes
  expect(lowest(light!, 'raised', ['ground', 'surface'])).toBeGreaterThanOrEqual(1.1)
  expect(lowest(light!, 'control', ['surface', 'raised'])).toBeGreaterThanOrEqual(1.1)
})
