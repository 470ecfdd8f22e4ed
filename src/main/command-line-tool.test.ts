import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'
import {
  createCommandLineTool,
  runToolEntry,
  type CommandLineTool,
  type ToolPlace,
} from './command-line-tool.ts'

function put(file: string, text: string, mode = 0o644): string {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text, { mode })
  return file
}

/** A computer in a folder, with an installed app that says its version. */
function computer(change: Partial<ToolPlace> & { readonly shared?: boolean } = {}) {
  const root = temporaryFolder()
  const { shared = true, version = '1.0.0', ...rest } = change
  const resources = join(root, 'My apps', 'resources')
  put(
    join(resources, 'cli', 'countersign'),
    `#!/bin/sh\necho ${version} "$(dirname "$(readlink -f "$0")")"\n`,
    0o755,
  )
  put(join(resources, 'app.asar'), 'archive')
  put(join(resources, 'app.asar.unpacked', 'a.node'), 'binary')
  const sharedFolder = join(root, 'usr', 'local', 'bin')
  if (shared) mkdirSync(sharedFolder, { recursive: true })
  const home = join(root, 'home')
  const place: ToolPlace = {
    ...{ platform: 'linux', version, resources, isAppImage: false, home, sharedFolder },
    dataFolder: join(home, 'data'),
    env: { PATH: sharedFolder },
    packageLink: join(root, 'usr', 'bin', 'countersign'),
    ...rest,
  }
  return { ...place, root, launcher: join(resources, 'cli', 'countersign'), tool: toolOf(place) }
}

function toolOf(place: ToolPlace): CommandLineTool {
  const tool = createCommandLineTool(place)
  if (tool === null) throw new Error('There is no tool.')
  return tool
}

/** Chooses the menu's entry, then the given buttons. Returns the messages. */
async function choose(tool: CommandLineTool, ...buttons: string[]) {
  const said: string[] = []
  await runToolEntry(tool, ({ message, detail, buttons: shown = [] }) => {
    said.push(`${message} | ${detail ?? ''}`)
    return Promise.resolve(shown.indexOf(buttons.shift() ?? 'OK'))
  })
  return said
}

test('only an installed app has the command', () => {
  expect(createCommandLineTool({ ...computer(), resources: temporaryFolder() })).toBeNull()
})

describe.skipIf(process.platform === 'win32')('the command on macOS and Linux', () => {
  test('is a link in /usr/local/bin if the user may write there; choosing the entry again removes it', async () => {
    const { tool, launcher, sharedFolder = '' } = computer()
    const link = join(sharedFolder, 'countersign')
    expect(await choose(tool, 'Cancel')).toHaveLength(1)
    expect(existsSync(link)).toBe(false)
    expect(await choose(tool, 'Install')).toEqual([
      `Install the "countersign" command? | Terminals find it as ${link}.`,
      'The "countersign" command is installed | Open a new terminal and run: countersign --help',
    ])
    expect([readlinkSync(link), tool.state()]).toEqual([launcher, { kind: 'installed', link }])
    expect(await choose(tool, 'Uninstall')).toEqual([
      `Uninstall the "countersign" command? | This removes ${link}.`,
    ])
    expect([existsSync(link), existsSync(launcher), tool.state().kind]).toEqual([
      false,
      true,
      'missing',
    ])
  })

  test.each([
    ['linux', '~/.profile'],
    ['darwin', '~/.zprofile'],
  ] as const)(
    'on %s is in ~/.local/bin otherwise, and says what to add to PATH',
    async (platform, file) => {
      const { tool, home, launcher } = computer({ platform, shared: false })
      const [, said] = await choose(tool, 'Install')
      expect(readlinkSync(join(home, '.local/bin/countersign'))).toBe(launcher)
      expect(said).toContain(
        `If your terminal doesn't find it, add this line to ${file} and sign in again:\nexport PATH="$HOME/.local/bin:$PATH"`,
      )
    },
  )

  test('says nothing about PATH if the folder is on it, or is the one that every Mac has there', async () => {
    const linux = computer({ shared: false })
    const onPath = toolOf({
      ...linux,
      env: { PATH: ['/bin', `${join(linux.home, '.local/bin')}/`].join(delimiter) },
    })
    expect((await choose(onPath, 'Install'))[1]).not.toContain('PATH')
    expect(
      (
        await choose(computer({ platform: 'darwin', env: { PATH: '/usr/bin' } }).tool, 'Install')
      )[1],
    ).not.toContain('PATH')
  })

  test.each([
    ['another program', (link: string) => put(link, '#!/bin/sh\n')],
    [
      'a link to ../lib/node_modules/countersign/bin/countersign.mjs',
      (link: string) => {
        symlinkSync('../lib/node_modules/countersign/bin/countersign.mjs', link)
      },
    ],
  ])('never replaces %s without asking', async (words, make) => {
    const { tool, launcher, sharedFolder = '' } = computer()
    const link = join(sharedFolder, 'countersign')
    make(link)
    expect(tool.state()).toEqual({ kind: 'missing', link, inTheWay: words })
    expect(await choose(tool, 'Cancel')).toEqual([
      `Replace ${link}? | It is ${words}, which Countersign didn't install.`,
    ])
    expect(tool.state()).toMatchObject({ inTheWay: words })
    // Nothing of another's is ever removed.
    await tool.uninstall()
    expect(tool.state()).toMatchObject({ inTheWay: words })
    await choose(tool, 'Replace')
    expect(readlinkSync(link)).toBe(launcher)
  })

  test('says why it could not be installed', async () => {
    const { tool, sharedFolder = '' } = computer()
    mkdirSync(join(sharedFolder, 'countersign'))
    const [, said] = await choose(tool, 'Replace')
    expect(said).toMatch(
      /^Couldn't install the "countersign" command \| .*countersign.*\nCheck the permissions/,
    )
  })

  test('replaces the link of the app at a former place, which is broken, without a question', async () => {
    const { tool, launcher, sharedFolder = '' } = computer()
    const link = join(sharedFolder, 'countersign')
    symlinkSync('/Applications/Old.app/Contents/Resources/cli/countersign', link)
    expect(tool.state()).toEqual({ kind: 'missing', link, inTheWay: null })
    await choose(tool, 'Install')
    expect(readlinkSync(link)).toBe(launcher)
  })

  test("says so if the deb's package has installed it", async () => {
    const { tool, launcher, packageLink = '' } = computer()
    mkdirSync(dirname(packageLink), { recursive: true })
    symlinkSync(launcher, packageLink)
    expect(await choose(tool)).toEqual([
      `The command line tool is installed | The package installed it as ${packageLink} and removes it with the app.`,
    ])
  })

  test('on a Mac is not linked to a disk image or to the random folder of a downloaded app', async () => {
    const root = join(
      temporaryFolder(),
      'AppTranslocation',
      'x',
      'Countersign.app',
      'Contents',
      'Resources',
    )
    mkdirSync(join(root, 'cli'), { recursive: true })
    const tool = toolOf({ ...computer({ platform: 'darwin' }), resources: root })
    expect((await choose(tool))[0]).toMatch(/^Move Countersign to the Applications folder first/)
  })

  test('of an AppImage is a copy that every update replaces, and that goes with the link', async () => {
    const mounted = computer({ isAppImage: true })
    const { dataFolder, sharedFolder = '' } = mounted
    const link = join(sharedFolder, 'countersign')
    const copy = join(dataFolder, 'desktop/command-line')
    const say = () => execFileSync(link, { encoding: 'utf8' }).trim()
    expect(await mounted.tool.refresh()).toBe(false)
    expect(existsSync(copy)).toBe(false)
    await choose(mounted.tool, 'Install')
    expect(say()).toBe(`1.0.0 ${join(copy, 'cli')}`)
    expect(readFileSync(join(copy, 'app.asar.unpacked/a.node'), 'utf8')).toBe('binary')
    expect(await mounted.tool.refresh()).toBe(false)

    // The next version is mounted elsewhere.
    const { resources } = computer({ version: '1.1.0' })
    const next = toolOf({ ...mounted, resources, version: '1.1.0' })
    expect([next.state(), await next.refresh(), say()]).toEqual([
      { kind: 'installed', link },
      true,
      `1.1.0 ${join(copy, 'cli')}`,
    ])
    expect([existsSync(`${copy}.old`), existsSync(`${copy}.new`)]).toEqual([false, false])
    // A copy that fails leaves the present one.
    const damaged = temporaryFolder()
    mkdirSync(join(damaged, 'cli'))
    await expect(
      toolOf({ ...mounted, resources: damaged, version: '1.2.0' }).refresh(),
    ).rejects.toThrow('app.asar')
    expect(say()).toMatch(/^1\.1\.0 /)
    await next.uninstall()
    expect([existsSync(link), existsSync(copy)]).toEqual([false, false])
  })
})

describe('the command on Windows', () => {
  const windows = (change: Partial<ToolPlace> = {}) => {
    const { root } = computer()
    const local = join(root, 'Jürgen', 'Local')
    const resources = join(local, 'Programs', '100% mine', 'resources')
    mkdirSync(join(resources, 'cli'), { recursive: true })
    const place = {
      ...computer(),
      platform: 'win32' as const,
      resources,
      env: { LOCALAPPDATA: local, Path: '' },
      ...change,
    }
    return { tool: toolOf(place), link: join(local, 'Microsoft', 'WindowsApps', 'countersign.cmd') }
  }

  test("is a batch file in the user's folder of programs, free of names that a code page may lack", async () => {
    const { tool, link } = windows()
    await choose(tool, 'Install')
    const cli = join('%LOCALAPPDATA%', 'Programs', '100%% mine', 'resources', 'cli')
    expect(readFileSync(link, 'utf8')).toBe(
      `@rem Countersign's command line, installed by the app.\r\n@"${join(cli, 'node.exe')}" "${join(cli, 'out', 'node', 'cli.js')}" %*\r\n`,
    )
    expect(tool.state()).toEqual({ kind: 'installed', link })
    await choose(tool, 'Uninstall')
    expect([existsSync(link), tool.state().kind]).toEqual([false, 'missing'])
  })

  test('is what the uninstaller looks for', async () => {
    const { tool, link } = windows()
    await choose(tool, 'Install')
    const [, beginning = ''] =
      /findstr\.exe" \/b \/c:"(.+?)"/.exec(readFileSync('resources/installer.nsh', 'utf8')) ?? []
    expect(beginning).toMatch(/Countersign$/)
    expect(readFileSync(link, 'utf8').startsWith(beginning)).toBe(true)
  })

  test("asks before it replaces another's, but not its own from a former place", () => {
    const { tool, link } = windows()
    put(link, '@echo other')
    expect(tool.state()).toMatchObject({ inTheWay: 'another program' })
    put(link, "@rem Countersign's command line, installed by the app.\r\n@old %*\r\n")
    expect(tool.state()).toMatchObject({ kind: 'missing', inTheWay: null })
  })

  test('names the folder if PATH lacks it', async () => {
    const { tool, link } = windows()
    expect((await choose(tool, 'Install'))[1]).toContain(`add ${dirname(link)} to PATH`)
  })
})
