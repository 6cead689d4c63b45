import { Button } from '@mantine/core'
import { useMemo, useState } from 'react'
import { formatCount } from '../../../format/bytes.ts'
import { previewTexts } from '../../../texts/preview.ts'
import { visibleName } from '../../entries/visible-name.ts'
import { itemsOf, type JsonItem, trimmed } from './json-items.ts'
import classes from './text.module.css'

/** Items added to the page at a time. */
const step = 200

/** Maximum characters shown of a value. */
const maxShown = 5_000

/** Valid JSON with collapsible lists and objects. Collapsed items are not in the page. */
export function JsonTree({ text }: { readonly text: string }) {
  const root = useMemo(() => trimmed(text, 0, text.length), [text])
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: so that the keyboard can scroll it
    <section className={classes.scroller} tabIndex={0} aria-label={previewTexts.text.tree}>
      <div className={classes.json}>
        <JsonValue {...root} text={text} level={0} />
      </div>
    </section>
  )
}

interface JsonValueProps extends Omit<JsonItem, 'name'> {
  readonly text: string
  readonly name?: string
  readonly level: number
}

function JsonValue({ text, start, end, name, level }: JsonValueProps) {
  const first = text[start] ?? ''
  const isGroup = first === '[' || first === '{'
  const items = useMemo(() => (isGroup ? itemsOf(text, start) : []), [text, start, isGroup])
  const [isOpen, setIsOpen] = useState(level === 0 || (level === 1 && items.length <= 10))
  const label = name !== undefined && (
    <span className={classes.jsonName}>{visibleName(name)}: </span>
  )
  if (items.length === 0) {
    const value = text.slice(start, Math.min(end, start + maxShown))
    return (
      <div className={classes.jsonValue} data-begins={first}>
        {label}
        {value}
        {end - start > maxShown && '…'}
      </div>
    )
  }
  return (
    <details open={isOpen} onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>
        {label}
        <span className={classes.jsonSize}>
          {first === '[' ? '[ ]' : '{ }'}{' '}
          {(first === '[' ? previewTexts.text.items : previewTexts.text.fields)(items.length)}
        </span>
      </summary>
      {isOpen && <JsonItems items={items} text={text} level={level + 1} />}
    </details>
  )
}

interface JsonItemsProps {
  readonly items: readonly JsonItem[]
  readonly text: string
  readonly level: number
}

function JsonItems({ items, text, level }: JsonItemsProps) {
  const [shown, setShown] = useState(step)
  return (
    <div className={classes.jsonItems}>
      {items.slice(0, shown).map((item) => (
        <JsonValue key={item.start} {...item} text={text} level={level} />
      ))}
      {items.length > shown && (
        <Button size="compact-xs" variant="default" onClick={() => setShown(shown + step)}>
          {previewTexts.text.more(formatCount(items.length))}
        </Button>
      )}
    </div>
  )
}
