/**
 * `node scripts/icons.mjs` makes every icon from `resources/icon.svg`, whose hash each PNG contains
 * for a test.
 */
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { chromium } from '@playwright/test'
import { chromiumArguments, findChromium, findHeadlessShell } from './lib/chromium.ts'
import { pngChunk } from './lib/palette-png.ts'

const root = new URL('../', import.meta.url)
const at = (path) => new URL(path, root)
const source = readFileSync(at('resources/icon.svg'), 'utf8')
const stamp = createHash('sha256').update(source).digest('hex')
const [, small] = /<g id="small"[^>]*>\n([^]*?)\s*<\/g>\n<\/svg>/.exec(source)

/** Returns the drawing for Windows and Linux; at 32 pixels and less, the small one is sharper. */
const app = (size) => (size <= 32 ? { box: '0 0 32 32', small } : { box: '72 72 880 880' })
const mac = (size) => (size <= 32 ? { box: '-2 -2 36 36', small } : { box: '0 0 1024 1024' })
/** Drawing for a Mac, where the system colors the mark; pale or gray while nothing is received. */
const bare = small
  .replace(/\s*<rect[^>]*>/, '')
  .replaceAll('#fff', '#000')
  .replaceAll(/stroke-width="[\d.]+"/g, 'stroke-width="2"')
  .replace(' opacity=".75"', '')
const trays = {
  'color-receiving': { box: '0 0 32 32', small },
  'color-idle': { box: '0 0 32 32', small: small.replace('#4666e0', '#7a7f8c') },
  'mac-receiving': { box: '6 6 20 20', small: bare },
  'mac-idle': { box: '6 6 20 20', small: `<g opacity=".45">${bare}</g>` },
}

const executablePath = findHeadlessShell() ?? findChromium() ?? undefined
const browser = await chromium.launch({
  executablePath,
  args: chromiumArguments,
  chromiumSandbox: process.getuid?.() !== 0,
})
const page = await browser.newPage()

async function png(size, { box, small: drawing }) {
  await page.setViewportSize({ width: size, height: size })
  const svg =
    drawing === undefined
      ? source.replace('viewBox="0 0 1024 1024"', `viewBox="${box}"`)
      : `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${box}" fill="none">${drawing}</svg>`
  await page.setContent(
    `<style>body{margin:0}svg{display:block;width:${size}px;height:${size}px}</style>${svg}`,
  )
  const bytes = await page.screenshot({ omitBackground: true })
  // After the signature and the header, which are 33 bytes.
  return Buffer.concat([
    bytes.subarray(0, 33),
    pngChunk('tEXt', Buffer.from(`Source\0${stamp}`, 'latin1')),
    bytes.subarray(33),
  ])
}

/** Returns Windows' format: a directory of PNG files. */
function ico(images) {
  const header = Buffer.alloc(6 + 16 * images.length)
  header.writeUInt16LE(1, 2)
  header.writeUInt16LE(images.length, 4)
  let offset = header.length
  for (const [index, { size, bytes }] of images.entries()) {
    const entry = 6 + 16 * index
    // 256 is written as 0.
    header.set([size % 256, size % 256], entry)
    header.writeUInt16LE(1, entry + 4)
    header.writeUInt16LE(32, entry + 6)
    header.writeUInt32LE(bytes.length, entry + 8)
    header.writeUInt32LE(offset, entry + 12)
    offset += bytes.length
  }
  return Buffer.concat([header, ...images.map(({ bytes }) => bytes)])
}

function icns(images) {
  const parts = images.map(({ type, bytes }) => {
    const head = Buffer.alloc(8)
    head.write(type, 'latin1')
    head.writeUInt32BE(bytes.length + 8, 4)
    return Buffer.concat([head, bytes])
  })
  const length = parts.reduce((sum, part) => sum + part.length, 8)
  const head = Buffer.alloc(8)
  head.write('icns', 'latin1')
  head.writeUInt32BE(length, 4)
  return Buffer.concat([head, ...parts])
}

const imagesOf = (sizes, drawing) =>
  Promise.resolve(sizes).then(async (all) => {
    const images = []
    for (const size of all) images.push({ size, bytes: await png(size, drawing(size)) })
    return images
  })

mkdirSync(at('resources/icons'), { recursive: true })
for (const { size, bytes } of await imagesOf([16, 32, 48, 64, 128, 256, 512], app))
  writeFileSync(at(`resources/icons/${size}x${size}.png`), bytes)
writeFileSync(at('resources/icon.ico'), ico(await imagesOf([16, 24, 32, 48, 64, 128, 256], app)))
/** Types by size; the second is for displays with twice the density. */
const types = {
  16: ['icp4'],
  32: ['icp5', 'ic11'],
  64: ['ic12'],
  128: ['ic07'],
  256: ['ic08', 'ic13'],
  512: ['ic09', 'ic14'],
  1024: ['ic10'],
}
const apple = await imagesOf(Object.keys(types).map(Number), mac)
writeFileSync(
  at('resources/icon.icns'),
  icns(apple.flatMap(({ size, bytes }) => types[size].map((type) => ({ type, bytes })))),
)
for (const [name, drawing] of Object.entries(trays))
  for (const [suffix, size] of [
    ['', 16],
    ['@2x', 32],
  ])
    writeFileSync(at(`resources/tray/${name}${suffix}.png`), await png(size, drawing))
writeFileSync(at('src/renderer/public/favicon.ico'), ico(await imagesOf([32], app)))
writeFileSync(
  at('src/renderer/icon.svg'),
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32" fill="none">\n${small}\n</svg>\n`,
)
await browser.close()
