/** JSON paths that name columns from the body. */
import { z } from 'zod'

export const MOST_LIST_COLUMNS = 4
const MOST_COLUMNS = 50

export const columnPathsSchema = z.array(z.string().trim().min(1).max(200)).max(MOST_COLUMNS)
export const listColumnsSchema = columnPathsSchema.max(MOST_LIST_COLUMNS)
