/** In place of a screen whose state could not be read at all: why, and another try. */
import { Button } from './button.tsx'
import { Message } from './message.tsx'

export interface NotReadProps {
  /** What could not be read, as a title. */
  readonly title: string
  readonly problem: string
  readonly onAgain: () => void
}

export function NotRead({ title, problem, onAgain }: NotReadProps) {
  return (
    <div role="alert">
      <Message
        title={title}
        action={
          <Button kind="primary" onClick={onAgain}>
            Try again
          </Button>
        }
      >
        {problem}
      </Message>
    </div>
  )
}
