// One page of about as many bytes as its path says, regenerated at most once an hour: what Next.js calls ISR.

const SENTENCE = 'A page that was rendered once and is served many times. ';
// What Next.js writes around the text.
const FRAME = 1375;

export function getStaticPaths() {
  return { paths: ['1024', '10240', '102400'].map((bytes) => ({ params: { bytes } })), fallback: false };
}

export function getStaticProps({ params }) {
  return { props: { bytes: Number(params.bytes) }, revalidate: 3600 };
}

// The text is made here from one number: as a property of the page Next.js would send it twice.
export default function Page({ bytes }) {
  const length = Math.max(0, bytes - FRAME);
  return <main>{SENTENCE.repeat(Math.ceil(length / SENTENCE.length)).slice(0, length)}</main>;
}
