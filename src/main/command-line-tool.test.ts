import {
  existsSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'
import { createCommandLineTool, type ToolPlace } from './command-line-tool.ts'

function put(file: string, text: string): string {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
  return file
}

/** Creates a computer in a folder, with an installed app. */
function computer({
  shared = true,
  ...change
}: Partial<ToolPlace> & { readonly shared?: boolean } = {}) {
  const root = temporaryFolder()
  const sharedFolder = join(root, 'usr', 'local', 'bin')
  if (shared) mkdirSync(sharedFolder, { recursive: true })
  const place = {
    platform: 'linux' as NodeJS.Platform,
    resources: join(root, 'My apps', 'resources'),
    home: join(root, 'home'),
    env: {},
    usr: join(root, 'usr'),
    ...change,
  }
  const name = place.platform === 'win32' ? 'countersign.cmd' : 'countersign'
  return { place, sharedFolder, launcher: put(join(place.resources, 'cli', name), 'launcher') }
}

function toolOf(place: ToolPlace) {
  const tool = createCommandLineTool(place)
  if (tool === null) throw new Error('There is no tool.')
  return tool
}

test('only an app that is installed in a lasting place has the command', () => {
  const { place } = computer()
  expect(createCommandLineTool(place)).not.toBeNull()
  for (const change of [
    { resources: temporaryFolder() },
    { env: { APPIMAGE: '/home/me/Countersign.AppImage' } },
    computer({ resources: join(temporaryFolder(), 'AppTranslocation', 'x', 'Resources') }).place,
  ])
    expect(createCommandLineTool({ ...place, ...change })).toBeNull()
})

describe.skipIf(process.platform === 'win32')('the command on macOS and Linux', () => {
  test('is a link in /usr/local/bin if the user may write there; choosing the entry again removes it', () => {
    const { place, launcher, sharedFolder } = computer()
    const tool = toolOf(place)
    const link = join(sharedFolder, 'countersign')
    expect(tool.change()).toEqual({
      type: 'info',
      message: `Installed ${link}`,
      detail: `Open a new terminal and run: countersign --help\n\nIf your terminal doesn't find it, add ${sharedFolder} to PATH.`,
    })
    expect([readlinkSync(link), tool.isInstalled()]).toEqual([launcher, true])
    expect(tool.change()).toEqual({ type: 'info', message: `Removed ${link}` })
    expect([existsSync(link), existsSync(launcher), tool.isInstalled()]).toEqual([
      false,
      true,
      false,
    ])
  })

  test('is in ~/.local/bin otherwise', () => {
    const { place, launcher } = computer({ shared: false })
    toolOf(place).change()
    expect(readlinkSync(join(place.home, '.local/bin/countersign'))).toBe(launcher)
  })

  test('never replaces another program', () => {
    const { place, sharedFolder } = computer()
    const other = put(join(sharedFolder, 'countersign'), '#!/bin/sh\n')
    expect(toolOf(place).change()).toEqual({
      type: 'error',
      message: `Couldn't change ${other}`,
      detail: expect.stringMatching(/^EEXIST.*\nRemove another program of this name/),
    })
    expect(readFileSync(other, 'utf8')).toBe('#!/bin/sh\n')
  })

  test("is the package's business if that has installed it", () => {
    const { place, launcher } = computer()
    const bin = join(place.usr, 'bin')
    mkdirSync(bin, { recursive: true })
    symlinkSync(launcher, join(bin, 'countersign'))
    expect(createCommandLineTool(place)).toBeNull()
  })
})

describe('the command on Windows', () => {
  const windows = () => {
    const local = join(temporaryFolder(), 'Jürgen', 'Local')
    const { place } = computer({
      platform: 'win32',
      resources: join(local, 'Programs', '100% mine', 'resources'),
      env: { LOCALAPPDATA: local },
    })
    return { tool: toolOf(place), link: join(local, 'Microsoft', 'WindowsApps', 'countersign.cmd') }
  }

  test("is a batch file in the user's folder of programs, free of names that a code page may lack", () => {
    const { tool, link } = windows()
    tool.change()
    const launcher = join('/Programs', '100%% mine', 'resources', 'cli', 'countersign.cmd')
    expect(readFileSync(link, 'utf8')).toBe(
      `@rem Countersign's command line, installed by the app.\r\n@call "%LOCALAPPDATA%${launcher}" %*\r\n`,
    )
    tool.change()
    expect([existsSync(link), tool.isInstalled()]).toEqual([false, false])
  })

  test('is what the uninstaller looks for', () => {
    const { tool, link } = windows()
    tool.change()
    const [, beginning = ''] =
      /findstr\.exe" \/b \/c:"(.+?)"/.exec(readFileSync('resources/installer.nsh', 'utf8')) ?? []
    expect(beginning).toMatch(/Countersign$/)
    expect(readFileSync(link, 'utf8').startsWith(beginning)).toBe(true)
  })

  test("never replaces another's", () => {
    const { tool, link } = windows()
    put(link, '@echo other')
    expect(tool.change().detail).toContain('EEXIST')
    expect(readFileSync(link, 'utf8')).toBe('@echo other')
  })
})
