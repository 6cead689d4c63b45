import { Link } from 'wouter'
import classes from '../buckets/bucket-tabs.module.css'
import { filesTexts } from '../texts/files.ts'

const views = [
  { view: undefined, href: '/files', label: filesTexts.views.buckets },
  { view: 'starred', href: '/files?in=starred', label: filesTexts.views.starred },
  { view: 'recent', href: '/files?in=recent', label: filesTexts.views.recent },
] as const

/** The views of all buckets, above each of them. */
export function FilesViews({ here }: { readonly here: (typeof views)[number]['view'] }) {
  return (
    <div className={classes.bar} data-bucket-tabs>
      <nav aria-label={filesTexts.views.label} className={classes.tabs}>
        {views.map(({ view, href, label }) => (
          <Link
            key={label}
            href={href}
            className={classes.tab ?? ''}
            {...(view === here && { 'aria-current': 'page' as const })}
          >
            {label}
          </Link>
        ))}
      </nav>
    </div>
  )
}
