import type { ReactNode } from 'react'
import classes from './row-list.module.css'

export function RowList({ children }: { readonly children: ReactNode }) {
  return <ul className={classes.list}>{children}</ul>
}

interface RowProps {
  readonly title: ReactNode
  /** A second, quieter line. */
  readonly detail?: ReactNode
  readonly actions?: ReactNode
}

export function Row({ title, detail, actions }: RowProps) {
  return (
    <li className={classes.row}>
      <div className={classes.text}>
        <div className={classes.title}>{title}</div>
        {detail !== undefined && <div className={classes.detail}>{detail}</div>}
      </div>
      {actions !== undefined && <div className={classes.actions}>{actions}</div>}
    </li>
  )
}
