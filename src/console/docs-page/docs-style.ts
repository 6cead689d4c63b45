/** The complete style of the page, without external resources. */
export const docsStyle = `
:root { color-scheme: light dark; --line: light-dark(#dfe3e8, #343a42); --soft: light-dark(#5c6670, #9aa5b1);
  --panel: light-dark(#f6f8fa, #1d2126); --link: light-dark(#0b62c4, #6cb2ff);
  --get: light-dark(#0b6b3a, #57c98a); --post: light-dark(#0b5cad, #6cb2ff);
  --put: light-dark(#8a5a00, #e0b04c); --delete: light-dark(#b3261e, #ff8a80) }
* { box-sizing: border-box }
html { scroll-padding-top: 1rem }
body { margin: 0; font: 1rem/1.55 system-ui, sans-serif; color: light-dark(#1c2126, #e4e8ec);
  background: light-dark(#fff, #14171a) }
a { color: var(--link) }
a:focus-visible, [tabindex]:focus-visible { outline: 2px solid var(--link); outline-offset: 2px }
code { font: .875em/1.4 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; overflow-wrap: anywhere }
.skip { position: absolute; left: -100rem }
.skip:focus { left: 1rem; top: 1rem; padding: .5rem 1rem; background: var(--panel) }
.layout { display: grid; grid-template-columns: 17rem minmax(0, 1fr); max-width: 80rem; margin: 0 auto }
nav { position: sticky; top: 0; align-self: start; max-height: 100vh; overflow-y: auto; padding: 1.5rem 1rem 2rem;
  border-right: 1px solid var(--line); font-size: .9rem }
nav h2 { margin: 1.1rem 0 .2rem; font-size: .8rem; color: var(--soft); text-transform: uppercase; letter-spacing: .05em }
nav ul { list-style: none; margin: 0; padding: 0 }
nav a { display: block; padding: .15rem .4rem; border-radius: .3rem; color: inherit; text-decoration: none;
  overflow-wrap: anywhere }
nav a:hover { background: var(--panel) }
main { padding: 1.5rem clamp(1rem, 4vw, 3rem) 6rem }
h1 { margin: 0 0 .3rem; font-size: 1.7rem }
h2 { margin: 2.8rem 0 .2rem; font-size: 1.3rem; text-transform: capitalize }
h3 { margin: 0; font-size: 1.05rem; overflow-wrap: anywhere }
p { margin: .3rem 0 .6rem }
article { margin: 1.2rem 0; padding: 1rem 1.1rem 1.1rem; border: 1px solid var(--line); border-radius: .6rem }
article > p.summary { font-weight: 600 }
.method { display: inline-block; min-width: 4.2em; font-weight: 700; font-size: .85em }
.get, .head, .options { color: var(--get) } .post { color: var(--post) }
.put, .patch { color: var(--put) } .delete { color: var(--delete) }
.soft { color: var(--soft) }
.table { overflow-x: auto }
table { width: 100%; border-collapse: collapse; font-size: .9rem }
caption { text-align: left; padding: .9rem 0 .2rem; font-weight: 600; font-size: 1rem }
th, td { text-align: left; vertical-align: top; padding: .3rem .8rem .3rem 0; border-top: 1px solid var(--line);
  overflow-wrap: break-word }
thead th { border-top: 0; color: var(--soft); font-weight: 600 }
tbody th { font-weight: 400; min-width: 6.5rem; width: 24% }
td:nth-child(2) { width: 24% }
td:last-child { overflow-wrap: anywhere }
@media (max-width: 52rem) {
  .layout { display: block }
  nav { position: static; max-height: none; border-right: 0; border-bottom: 1px solid var(--line) }
  nav ul { columns: 2 11rem }
  article { padding: .8rem }
  table { font-size: .85rem }
  th, td { padding-right: .5rem }
}
@media print { nav { display: none } .layout { display: block } }
`
