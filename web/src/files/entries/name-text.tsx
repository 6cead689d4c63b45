import classes from './name-text.module.css'
import { namePieces } from './visible-name.ts'

/**
 * A name from the drive. Hidden characters are made visible, and its text direction is isolated.
 */
export function NameText({ name }: { readonly name: string }) {
  let at = 0
  return (
    <bdi className={classes.name}>
      {namePieces(name).map(({ text, isMark }) => {
        const key = at
        at += text.length
        return isMark ? (
          <span key={key} className={classes.mark}>
            {text}
          </span>
        ) : (
          text
        )
      })}
    </bdi>
  )
}
