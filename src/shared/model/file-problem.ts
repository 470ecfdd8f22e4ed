/** Problem in a file that the user wrote, with its place and fix. */
import { z } from 'zod'

export const fileProblemSchema = z.object({
  /** Field, such as `steps[0].event`; empty for the whole file. */
  path: z.string(),
  /** From 1, as is `column`. */
  line: z.number().int(),
  column: z.number().int(),
  message: z.string(),
  fix: z.string(),
})
export type FileProblem = z.infer<typeof fileProblemSchema>

/** Returns a line per problem: `FILE:LINE:COLUMN FIELD: message fix`. */
export function problemLines(file: string, problems: readonly FileProblem[]): string {
  return problems
    .map(
      ({ line, column, path, message, fix }) =>
        `${file}:${line}:${column}${path === '' ? '' : ` ${path}:`} ${message}${fix === '' ? '' : ` ${fix}`}`,
    )
    .join('\n')
}
