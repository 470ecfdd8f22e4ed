/** The languages in which a program that verifies a delivery can be had, in the order in which they are offered. */
import { csharp } from './csharp.ts'
import { go } from './go.ts'
import { java } from './java.ts'
import { node } from './node.ts'
import { php } from './php.ts'
import { python } from './python.ts'
import { ruby } from './ruby.ts'
import type { SnippetLanguage } from './snippet.ts'

export const snippetLanguages: readonly SnippetLanguage[] = [node, python, ruby, php, go, java, csharp]
