// Where the site and the repository are on the web. Nothing is public yet: both are empty, links to source files go to
// copies inside the site, and previews name their picture by a relative address.

/** Of the site, with a slash at the end: 'https://example.org/limber/'. */
export const SITE = '';

/** Of a file in the repository, to which its path is added: 'https://example.org/limber/blob/main/'. */
export const REPOSITORY = '';
