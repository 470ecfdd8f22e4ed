/** The toolbar of the Body tab: view, search, wrap, copy and save. */
import { Search, WrapText } from 'lucide-react'
import { IconButton } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { Segments } from '../../ui/segments.tsx'
import type { BodyTabState } from './use-body-tab.ts'

export function BodyToolbar({ state }: { readonly state: BodyTabState }) {
  const { view, display, wrap, setPreference, text, isForm, searchable } = state
  const { isSearching, setSearch, openSearch, copied, save } = state
  const note = !searchable
    ? ''
    : text.isJson
      ? 'JSON, every token as sent'
      : view === 'text'
        ? ''
        : 'Not JSON, shown as sent'
  return (
    <div className="flex min-h-10 shrink-0 flex-wrap items-center gap-1 border-b border-line px-4 py-1 @max-[440px]:gap-0 @max-[360px]:[&_label]:px-1">
      <Segments
        label="Body view"
        options={[
          { value: 'tree', label: isForm ? 'Fields' : 'Tree' },
          { value: 'formatted', label: 'Formatted' },
          { value: 'text', label: 'As sent' },
          { value: 'hex', label: 'Hex' },
        ]}
        value={view}
        onChange={(bodyView) => display({ bodyView })}
      />
      <span
        className="min-w-0 flex-1 truncate pl-1 text-small text-subtle @max-[560px]:invisible"
        title={note}
      >
        {note}
      </span>
      {searchable && (
        <IconButton
          label="Search body"
          keys="Mod+F"
          pressed={isSearching}
          icon={Search}
          onClick={isSearching ? () => setSearch(false) : openSearch}
        />
      )}
      {(view === 'formatted' || view === 'text') && (
        <IconButton
          label={wrap ? "Don't wrap lines" : 'Wrap lines'}
          shortcut="wrap"
          pressed={wrap}
          icon={WrapText}
          onClick={() => setPreference('wrap', !wrap)}
        />
      )}
      <CopyButton
        text={copied}
        label="Copy body as shown"
        caption="Copy"
        className="@max-[360px]:[&>span]:hidden"
      />
      <button
        type="button"
        title="Save exact bytes"
        onClick={() => void save()}
        className="inline-flex h-6 shrink-0 items-center rounded-small px-1.5 text-small text-subtle transition-colors hover:bg-control hover:text-text"
      >
        Save
      </button>
    </div>
  )
}
