/** Report files, checked before the work, which writes them at its end. */
import { existsSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { canWrite, isFolder } from '../core/base/data-folder.ts'
import { AppError } from '../shared/contract/errors.ts'
import { UsageError } from './context.ts'
import { nonBlankOption, type ValuesOf } from './options/input.ts'
import { isStream, writeOutput } from './output-file.ts'

export const reportFileOptions = {
  junit: nonBlankOption('<file>', 'write a JUnit report'),
  html: nonBlankOption('<file>', 'write an HTML report'),
  summary: nonBlankOption('<file>', 'write a Markdown summary'),
}

type ReportFiles = ValuesOf<typeof reportFileOptions>

/** Writes the reports whose files are given. */
export async function writeReports(
  files: ReportFiles,
  reports: Readonly<Record<keyof ReportFiles, () => string>>,
): Promise<void> {
  for (const kind of ['junit', 'html', 'summary'] as const) {
    const file = files[kind]
    if (file !== undefined) await writeOutput(file, reports[kind](), 'shared')
  }
}

/**
 * Throws `NOT_FOUND` for the first file that can't be written, and a usage error if two are the
 * same. Creates nothing.
 */
export async function checkReportFiles(
  optionalFiles: readonly (string | undefined)[],
): Promise<void> {
  const files = optionalFiles.filter((file) => file !== undefined)
  const paths = files.map((file) => resolve(file))
  const duplicate = files.find((_, place) => paths.indexOf(paths[place] ?? '') < place)
  if (duplicate !== undefined)
    throw new UsageError(`Two reports can't use the same file, ${duplicate}. Choose two files.`)
  for (const file of files) {
    const folder = dirname(file)
    const refuse = (why: string) =>
      new AppError('NOT_FOUND', `Couldn't write ${file}: ${why} Nothing was started.`)
    if (isFolder(file)) throw refuse('it is a folder. Choose a file.')
    const isReplaced = !(await isStream(file))
    if (isReplaced && !isFolder(folder))
      throw refuse(`folder ${folder} doesn't exist. Create it, or choose another file.`)
    if ((isReplaced && !canWrite(folder)) || (existsSync(file) && !canWrite(file)))
      throw refuse('permission denied. Choose another file.')
  }
}
