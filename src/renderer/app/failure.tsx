/** What is shown where a part of the interface failed to draw: the sentence, and the way out. */
import { Component, type ReactNode } from 'react'
import { Button } from '../ui/button.tsx'

// React has no other way to catch what a component throws while it draws.
export class Failure extends Component<{ readonly children: ReactNode }, { readonly message: string | null }> {
  override state = { message: null }

  static getDerivedStateFromError(error: unknown) {
    return { message: error instanceof Error ? error.message : String(error) }
  }

  override render() {
    if (this.state.message === null) return this.props.children
    return (
      <main className="flex h-full items-start justify-center bg-ground px-6 pt-[18vh]">
        <div className="max-w-[460px]">
          <h1 className="text-display font-medium">The window could not be drawn</h1>
          <p className="mt-1 text-muted">Capture goes on; only this window is affected. The reason was:</p>
          <p className="data mt-2 wrap-anywhere text-bad">{this.state.message}</p>
          <Button
            kind="primary"
            className="mt-4"
            onClick={() => {
              location.reload()
            }}
          >
            Load the window again
          </Button>
        </div>
      </main>
    )
  }
}
