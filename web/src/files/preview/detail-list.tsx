import type { ReactNode } from 'react'
import classes from './detail-list.module.css'

export type Detail = readonly [name: string, value: ReactNode, action?: ReactNode]

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
