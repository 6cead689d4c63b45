import { Link } from 'wouter'
import classes from '../buckets/bucket-tabs.module.css'

const views = [
  { view: undefined, href: '/files', label: 'Buckets' },
  { view: 'starred', href: '/files?in=starred', label: 'Starred' },
  { view: 'recent', href: '/files?in=recent', label: 'Recent' },
] as const

/** The views of all buckets, above each of them. */
export function FilesViews({ here }: { readonly here: (typeof views)[number]['view'] }) {
  return (
    <div className={classes.bar} data-bucket-tabs>
      <nav aria-label="Views of the files" className={classes.tabs}>
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
