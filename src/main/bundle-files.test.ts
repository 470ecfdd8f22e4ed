import { describe, expect, test } from 'vitest'
import { readBundleFiles } from './bundle-files.ts'

const pageUrl = 'app://countersign/'
const manifest = JSON.stringify({
  files: {
    'index.html': 'text/html; charset=utf-8',
    'assets/index-Bx3_a.js': 'text/javascript; charset=utf-8',
    'assets/inter.woff2': 'font/woff2',
  },
})
const files = readBundleFiles(manifest, pageUrl)

describe('bundle files', () => {
  test('the root and index.html return the page', () => {
    expect(files.find('app://countersign/')).toEqual({
      name: 'index.html',
      mediaType: 'text/html; charset=utf-8',
    })
    expect(files.find('app://countersign/index.html')?.name).toBe('index.html')
  })

  test('finds a listed file by its exact path, with or without query and fragment', () => {
    expect(files.find('app://countersign/assets/index-Bx3_a.js')?.mediaType).toBe(
      'text/javascript; charset=utf-8',
    )
    expect(files.find('app://countersign/assets/inter.woff2?v=1')?.name).toBe('assets/inter.woff2')
    expect(files.find('app://countersign/#/deliveries')?.name).toBe('index.html')
  })

  test.each([
    ...[
      ...['../package.json', '..%2fpackage.json', '%2e%2e/package.json', '%252e%252e/package.json'],
      ...['..\\package.json', '/etc/passwd', 'etc/passwd', 'assets/../index.html', './index.html'],
      ...['index.html/', 'index.html\0', 'index.html%00.js', 'INDEX.HTML', 'C:/windows/win.ini'],
      ...['assets', 'manifest.json', '__proto__', 'constructor'],
    ].map((path) => pageUrl + path),
    ...['app://countersign-evil/index.html', 'app://countersign.evil/index.html'],
    ...['app://evil/index.html', 'app://user@countersign/index.html', 'file:///index.html'],
    ...['app://countersign:80/index.html', 'app://countersign', ''],
  ])('%j finds no file', (url) => {
    expect(files.find(url)).toBeNull()
  })

  test.each([
    '../escape.js',
    '/etc/passwd',
    'a//b.js',
    'a/./b.js',
    'a\\b.js',
    'C:/x.js',
    'a/.hidden',
    '',
  ])('rejects a manifest that lists %j', (name) => {
    const text = JSON.stringify({ files: { 'index.html': 'text/html', [name]: 'text/javascript' } })
    expect(() => readBundleFiles(text, pageUrl)).toThrow(/not a plain file/)
  })

  test('rejects a manifest without the page', () => {
    expect(() => readBundleFiles('{"files":{}}', pageUrl)).toThrow(/index\.html/)
    expect(() => readBundleFiles('{}', pageUrl)).toThrow()
    expect(() => readBundleFiles('', pageUrl)).toThrow()
  })
})
