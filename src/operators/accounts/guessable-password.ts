/** What the most used passwords are made of, which ASVS 5.0 (6.2.4) asks to refuse. */
const WORDS =
  'password passwort passw motdepasse contrasena secret geheim changeme letmein welcome willkommen bienvenido ' +
  'administrator admin root user test demo login qwerty qwertz azerty iloveyou sunshine princess football baseball ' +
  'superman batman dragon monkey master shadow michael jordan trustno whatever starwars';

/** As fingers and counting go, in both directions. */
const ROWS =
  '01234567890 abcdefghijklmnopqrstuvwxyz qwertyuiop qwertzuiop azertyuiop asdfghjkl zxcvbnm yxcvbnm ' +
  '1q2w3e4r5t6y7u8i9o0p 1qaz2wsx3edc4rfv5tgb6yhn7ujm qazwsxedcrfv';

const STEP = 4;
/** So many characters beside them, such as a year and a sign, are guessed with them. */
const OTHERS_MAX = 5;

const PIECES: readonly string[] = [
  ...WORDS.split(' '),
  ...ROWS.split(' ')
    .flatMap((row) => [row, [...row].reverse().join('')])
    .flatMap(listSteps),
];

const LOOK_ALIKES: Readonly<Record<string, string>> = {
  '@': 'a',
  '4': 'a',
  '3': 'e',
  '1': 'i',
  '0': 'o',
  $: 's',
  '5': 's',
};

/** Whether all of it but a few characters is what anybody tries first. */
export function isGuessedFirst(password: string): boolean {
  const typed = password.toLowerCase();
  const meant = typed.replaceAll(/[@4310$5]/g, (character) => LOOK_ALIKES[character] ?? character);
  const isCovered = new Array<boolean>(typed.length).fill(false);
  for (const text of [typed, meant]) for (const piece of PIECES) cover(text, piece, isCovered);
  return isCovered.filter((covered) => !covered).length <= OTHERS_MAX;
}

function cover(text: string, piece: string, isCovered: boolean[]): void {
  for (let at = text.indexOf(piece); at >= 0; at = text.indexOf(piece, at + 1))
    isCovered.fill(true, at, at + piece.length);
}

function listSteps(row: string): string[] {
  return Array.from({ length: row.length - STEP + 1 }, (_, at) => row.slice(at, at + STEP));
}
