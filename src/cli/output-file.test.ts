import { execFileSync } from 'node:child_process'
import {
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { mountSmallDisk } from '../../test/support/small-disk.ts'
import { closeAtEnd, temporaryFolder } from '../../test/support/temporary-folder.ts'
import { isStream, openOutput, writeOutput } from './output-file.ts'
import { checkReportFiles } from './report-files.ts'

const isWindows = process.platform === 'win32'
const canMakeDevices = process.platform === 'linux' && process.getuid?.() === 0
const standard = { bytes: () => Promise.resolve() }

let folder: string
let other: string
let named: string
beforeEach(() => {
  folder = temporaryFolder()
  other = join(folder, 'other')
  named = join(folder, 'report.html')
  writeFileSync(other, 'a file of the user')
})

describe.skipIf(isWindows)('a link with the name of an output', () => {
  test.each([
    ['to a file', () => symlinkSync(other, named)],
    ['to nothing', () => symlinkSync(join(folder, 'missing'), named)],
    ['as another name of a file', () => linkSync(other, named)],
  ])('%s is replaced, and what it leads to stays', async (_, plant) => {
    plant()
    await checkReportFiles([named])
    await expect(openOutput({ output: named, force: false }, standard, 'private')).rejects.toThrow(
      'already exists',
    )
    await writeOutput(named, 'the report', 'shared')
    expect(lstatSync(named).isFile()).toBe(true)
    expect(readFileSync(named, 'utf8')).toBe('the report')
    expect(readFileSync(other, 'utf8')).toBe('a file of the user')
    expect(readdirSync(folder).toSorted()).toEqual(['other', 'report.html'])
  })

  test('to a folder is refused for a report, before the work', async () => {
    mkdirSync(join(folder, 'inside'))
    symlinkSync(join(folder, 'inside'), named)
    await expect(checkReportFiles([named])).rejects.toThrow('it is a folder. Choose a file.')
  })
})

describe.skipIf(isWindows)('devices and pipes are written directly, without --force', () => {
  test('a pipe', async () => {
    execFileSync('mkfifo', [named])
    await checkReportFiles([named])
    const [text] = await Promise.all([
      readFile(named, 'utf8'),
      writeOutput(named, 'the report', 'shared'),
    ])
    expect([text, lstatSync(named).isFIFO()]).toEqual(['the report', true])
  })

  // Own devices: a fault would replace those of the system.
  test.runIf(canMakeDevices)('a device, also by a link to it', async () => {
    const [empty, full] = ['3', '7'].map((minor) => {
      const path = join(folder, minor)
      execFileSync('mknod', [path, 'c', '1', minor])
      return path
    })
    symlinkSync(full!, named)
    await checkReportFiles([named, empty])
    const sink = await openOutput({ output: empty, force: false }, standard, 'private')
    await sink.write('the report')
    await sink.finish()
    await expect(writeOutput(named, 'the report', 'shared')).rejects.toMatchObject({
      code: 'ENOSPC',
      path: named,
    })
    for (const device of [empty!, full!]) expect(lstatSync(device).isCharacterDevice()).toBe(true)
    expect(lstatSync(named).isSymbolicLink()).toBe(true)
  })

  test.each([
    ['/dev/stdout', true],
    ['/dev/fd/3', true],
    ['/proc/self/fd/1', true],
    ['/dev/shm/report.html', false],
    ['/device/report.html', false],
  ])('%s is one, whatever it leads to: %s', async (name, expected) => {
    expect(await isStream(name)).toBe(expected)
  })
})

const disk = mountSmallDisk(1)
test.skipIf(disk === null)(
  'on a full disk, the earlier file stays, and no part is left',
  async () => {
    closeAtEnd(() => disk!.unmount())
    const file = join(disk!.folder, 'report.html')
    writeFileSync(file, 'the earlier report')
    disk!.fillUp()
    await expect(writeOutput(file, 'the report', 'shared')).rejects.toMatchObject({
      code: 'ENOSPC',
      path: file,
    })
    expect(readFileSync(file, 'utf8')).toBe('the earlier report')
    expect(readdirSync(disk!.folder).toSorted()).toEqual(['filler', 'report.html'])
  },
)
