/** The options of the composer: signing, CA certificate and changes. */
import type { ComposerState, ComposerProps } from './use-composer.ts'
import { TargetCaCertificateField } from '../../connected/authority-field.tsx'
import { counted } from '../../../shared/text/english.ts'
import { Button } from '../../ui/button.tsx'
import { findingsAtField } from '../../ui/finding-text.tsx'
import { SigningFields } from './signing-fields.tsx'
import { hasSeveralEndpoints } from './replay-target.ts'
import { ChangeStrip } from './change-strip.tsx'

export function ComposerOptions({
  source,
  composer,
}: Pick<ComposerProps, 'source'> & { readonly composer: ComposerState }) {
  const { draft, setDraft, change, changes, original, handler, targetUrl, authority } = composer
  const { hooks, hook, problem, clear, wantsAuthority } = composer
  return (
    <>
      <div className="border-b border-line px-5 py-3">
        <SigningFields
          draft={draft}
          onChange={change}
          hooks={hooks}
          hook={hook}
          handler={handler}
          several={original === null}
          isNew={composer.isNew}
          bodyChanged={original !== null && draft.text !== original.text}
        />
      </div>
      <div className="border-b border-line px-5 py-3 empty:hidden">
        {handler === null && (
          <TargetCaCertificateField
            target={targetUrl}
            several={targetUrl === '' && hasSeveralEndpoints(source, hooks)}
            value={authority.value}
            problem={findingsAtField(problem?.findings ?? [], 'targetCa')}
            isNeeded={wantsAuthority}
            onChange={(caPem) => {
              authority.change(caPem)
              clear()
            }}
          />
        )}
      </div>
      {original !== null && !composer.isNew && (
        <div className="border-b border-line px-5 py-2">
          <div className="flex h-7 items-center">
            <h3 className="flex-1 font-medium">
              {changes.length === 0 ? 'No changes' : counted(changes.length, 'change')}
            </h3>
            {changes.length > 0 && (
              <Button
                kind="quiet"
                className="-mr-2 h-6 px-2 text-small text-accent!"
                onClick={() =>
                  setDraft((now) => changes.reduce((reverted, { undo }) => undo(reverted), now))
                }
              >
                Revert all
              </Button>
            )}
          </div>
          <ChangeStrip changes={changes} onUndo={(undo) => setDraft(undo)} />
        </div>
      )}
    </>
  )
}
