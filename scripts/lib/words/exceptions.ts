/** Words that the lint would refuse and that stay, each with its reason. */
import type { Exception } from './project.ts'

export const exceptions: readonly Exception[] = []
