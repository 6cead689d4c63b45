import type { ReactNode } from 'react'
import { CopyButton } from '../../ui/copy/copy-button.tsx'
import { NameText } from '../entries/name-text.tsx'
import classes from './detail-list.module.css'

export type Detail = readonly [name: string, value: ReactNode, action?: ReactNode]

/** A detail with a button that copies it. */
export function copyable(name: string, text: string, what = name): Detail {
  return [
    name,
    <NameText key="value" name={text} />,
    <CopyButton key="copy" text={text} what={what} />,
  ]
}

export function DetailList({ details }: { readonly details: readonly Detail[] }) {
  return (
    <dl className={classes.list}>
      {details.map(([name, value, action]) => (
        <div key={name} className={classes.detail}>
          <dt>{name}</dt>
          <dd>
            <span className={classes.value}>{value}</span>
            {action}
          </dd>
        </div>
      ))}
    </dl>
  )
}
