/** JSON in colours, character for character: for reading, and under the field in which it is edited. */
import { Fragment } from 'react'
import { ExactText } from '../exact-text.tsx'

const tokenPattern = /("(?:[^"\\\n]|\\.)*"?)(\s*:)?|-?\d[\d.eE+-]*|\b(?:true|false|null)\b|[{}[\],]/g

interface Piece {
  readonly text: string
  readonly look: string | null
}

/** The text in pieces; those without a look (white space, and what is no JSON) are as they are. */
function piecesOf(text: string): readonly Piece[] {
  const pieces: Piece[] = []
  let from = 0
  const push = (part: string, look: string | null) => {
    if (part !== '') pieces.push({ text: part, look })
  }
  for (const match of text.matchAll(tokenPattern)) {
    const [whole, string, colon] = match
    push(text.slice(from, match.index), null)
    if (string !== undefined) {
      push(string, colon === undefined ? 'text-code-string' : 'text-code-key')
      push(colon ?? '', 'text-subtle')
    } else push(whole, lookOf(whole))
    from = match.index + whole.length
  }
  push(text.slice(from), null)
  return pieces
}

function lookOf(token: string): string {
  if (/^[-\d]/.test(token)) return 'text-code-number'
  return token.length === 1 ? 'text-subtle' : 'text-code-word'
}

/** `exact`: with what cannot be seen drawn as escapes; not under a field, whose caret counts the characters themselves. */
export function JsonText({ text, exact = true }: { readonly text: string; readonly exact?: boolean }) {
  return piecesOf(text).map((piece, index) => {
    const shown = exact && piece.text.trim() !== '' ? <ExactText text={piece.text} /> : piece.text
    return piece.look === null ? (
      <Fragment key={index}>{shown}</Fragment>
    ) : (
      <span key={index} className={piece.look}>
        {shown}
      </span>
    )
  })
}
