export const pageHtml: string = '<!doctype html>';
